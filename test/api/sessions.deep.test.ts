/** The whole of sessions.test.ts, with the cases that `npm test` leaves out. */
import "./sessions.test.ts";
