/** Delays that an abort ends: one of a fixed time, and an exponential backoff. */

/** Milliseconds of the first delay. */
const FIRST_DELAY_MS = 500;
/** Max milliseconds of a delay. */
const MAX_DELAY_MS = 30_000;

/** Resolves after `ms` milliseconds, or at once when `signal` is aborted. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const finish = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", finish);
      resolve();
    };
    const timer = setTimeout(finish, ms);
    signal?.addEventListener("abort", finish);
  });
}

export type Backoff = {
  /** Waits; each delay is twice the last one, from 0.5 s to 30 s. */
  pause(): Promise<void>;
  /** Makes the next delay the first one again. */
  reset(): void;
};

/** @param signal ends a delay when it is aborted */
export function backoff(signal: AbortSignal): Backoff {
  let delay = FIRST_DELAY_MS;
  return {
    async pause() {
      await sleep(delay, signal);
      delay = Math.min(delay * 2, MAX_DELAY_MS);
    },
    reset() {
      delay = FIRST_DELAY_MS;
    },
  };
}
