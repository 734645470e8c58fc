/** The whole of exports.test.ts, with the cases that `npm test` leaves out. */
import "./exports.test.ts";
