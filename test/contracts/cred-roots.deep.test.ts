/** The whole of cred-roots.test.ts, with the cases that `npm test` leaves out. */
import "./cred-roots.test.ts";
