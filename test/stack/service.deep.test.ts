/** The whole of service.test.ts, with the cases that `npm test` leaves out. */
import "./service.test.ts";
