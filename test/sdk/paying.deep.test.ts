/** The whole of paying.test.ts, with the cases that `npm test` leaves out. */
import "./paying.test.ts";
