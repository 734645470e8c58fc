/** Clock, timers and randomness of the client; a test or a simulation may replace them. */

export type Time = {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after the given milliseconds. @throws the signal's reason once it is aborted */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** From 0 to below 1. */
  random(): number;
};

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
