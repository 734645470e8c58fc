/** The whole of directory-limits.test.ts, with the cases that `npm test` leaves out. */
import "./directory-limits.test.ts";
