/** The whole of profile.test.ts, with the cases that `npm test` leaves out. */
import "./profile.test.ts";
