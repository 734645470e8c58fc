/** The whole of directory-pull.test.ts, with the cases that `npm test` leaves out. */
import "./directory-pull.test.ts";
