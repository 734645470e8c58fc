/** The whole of token-uris.test.ts, with the cases that `npm test` leaves out. */
import "./token-uris.test.ts";
