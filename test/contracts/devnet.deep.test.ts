/** The whole of devnet.test.ts, with the cases that `npm test` leaves out. */
import "./devnet.test.ts";
