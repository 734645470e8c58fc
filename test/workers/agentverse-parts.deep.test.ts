/** The whole of agentverse-parts.test.ts, with the cases that `npm test` leaves out. */
import "./agentverse-parts.test.ts";
