/** The whole of main-job.test.ts, with the cases that `npm test` leaves out. */
import "./main-job.test.ts";
