/** The whole of keyed-reads.test.ts, with the cases that `npm test` leaves out. */
import "./keyed-reads.test.ts";
