/** The whole of interface.test.ts, with the cases that `npm test` leaves out. */
import "./interface.test.ts";
