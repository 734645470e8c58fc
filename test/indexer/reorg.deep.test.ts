/** The whole of reorg.test.ts, with the cases that `npm test` leaves out. */
import "./reorg.test.ts";
