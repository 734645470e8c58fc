/** The whole of races.test.ts, with the cases that `npm test` leaves out. */
import "./races.test.ts";
