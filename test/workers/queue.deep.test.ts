/** The whole of queue.test.ts, with the cases that `npm test` leaves out. */
import "./queue.test.ts";
