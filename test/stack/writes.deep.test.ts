/** The whole of writes.test.ts, with the cases that `npm test` leaves out. */
import "./writes.test.ts";
