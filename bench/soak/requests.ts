/** Requests of a soak, each of which has an answer in time or counts as one without. */

/** For one request. Registering and paying take several, and may come back many times. */
const ANSWER_MS = 60_000;

/** @throws DOMException `TimeoutError` when the whole answer is not there in time */
export const fetchInTime: typeof fetch = (input, init) =>
  fetch(input, { ...init, signal: AbortSignal.timeout(ANSWER_MS) });
