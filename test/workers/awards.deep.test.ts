/** The whole of awards.test.ts, with the cases that `npm test` leaves out. */
import "./awards.test.ts";
