/** The whole of sender-nodes.test.ts, with the cases that `npm test` leaves out. */
import "./sender-nodes.test.ts";
