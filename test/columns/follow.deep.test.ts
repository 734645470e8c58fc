/** The whole of follow.test.ts, with the cases that `npm test` leaves out. */
import "./follow.test.ts";
