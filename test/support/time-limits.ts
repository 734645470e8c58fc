/** Limits of time of the HTTP clients of tests: a good answer is bounded by LONG alone. */
import { LONG, NEVER } from "../../harness/patience.ts";

/** For partners that answer. */
export const PATIENT = { connectMs: LONG, headersMs: LONG, bodyMs: LONG, totalMs: LONG };

/** For a partner that never does. */
export const IMPATIENT = { ...PATIENT, headersMs: NEVER, bodyMs: NEVER, totalMs: NEVER };

/** A limit of time that a test's partner declares reached when it has got a request that it never answers. */
export function declaredTimeout() {
  let newest = new AbortController();
  return {
    /** For the next request of the client. */
    signal: () => {
      newest = new AbortController();
      return newest.signal;
    },
    /** Ends the newest request as a limit of time does. */
    reach: () => newest.abort(new DOMException("no answer in time", "TimeoutError")),
  };
}
