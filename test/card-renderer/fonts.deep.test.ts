/** The whole of fonts.test.ts, with the cases that `npm test` leaves out. */
import "./fonts.test.ts";
