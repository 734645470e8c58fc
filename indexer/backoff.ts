/** Waiting: for a time, or until told to stop, and longer after each failure in a row. */

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 30_000;

/** Resolves after `ms`, at once when `signal` is aborted. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const wake = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", wake);
      resolve();
    };
    const timer = setTimeout(wake, ms);
    signal?.addEventListener("abort", wake);
  });
}

export type Backoff = {
  /** Waits twice as long as the last time, between half a second and half a minute. */
  pause(): Promise<void>;
  /** The next failure is a first one again. */
  reset(): void;
};

export function backoff(signal: AbortSignal): Backoff {
  let delay = FIRST_DELAY_MS;
  return {
    async pause() {
      await sleep(delay, signal);
      delay = Math.min(delay * 2, LONGEST_DELAY_MS);
    },
    reset() {
      delay = FIRST_DELAY_MS;
    },
  };
}
