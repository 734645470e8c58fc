/** Clock, timers and randomness of the client; a test or a simulation may replace them. */

export type Time = {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after the given milliseconds. @throws the signal's reason once it is aborted */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** From 0 to below 1. */
  random(): number;
};

/**
 * The work, or the signal's reason once it is aborted. A fetch alone does not see to that: its request follows the signal only
 * until it is collected as garbage, which may be long before the answer has come.
 */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  let abort = () => {};
  const aborted = new Promise<never>((_, fail) => {
    abort = () => fail(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
  });
  return Promise.race([work, aborted]).finally(() => signal.removeEventListener("abort", abort));
}

export const realTime: Time = {
  now: () => Date.now(),
  random: () => Math.random(),
  sleep: (ms, signal) =>
    new Promise((done, fail) => {
      if (signal?.aborted) return fail(signal.reason);
      const over = () => {
        signal?.removeEventListener("abort", aborted);
        done();
      };
      const aborted = () => {
        clearTimeout(timer);
        fail(signal?.reason);
      };
      const timer = setTimeout(over, ms);
      signal?.addEventListener("abort", aborted, { once: true });
    }),
};
