/** The whole of terminal.test.ts, with the cases that `npm test` leaves out. */
import "./terminal.test.ts";
