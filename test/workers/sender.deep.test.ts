/** The whole of sender.test.ts, with the cases that `npm test` leaves out. */
import "./sender.test.ts";
