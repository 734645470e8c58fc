/** Delays that an abort ends: one of a fixed time, and an exponential backoff. */
import { setTimeout as delay } from "node:timers/promises";

/** Milliseconds of the first delay. */
const FIRST_DELAY_MS = 500;
/** Max milliseconds of a delay. */
const MAX_DELAY_MS = 30_000;

/** Resolves after `ms` milliseconds, or at once when `signal` is aborted. */
export const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
  delay(ms, undefined, { signal }).catch(() => {});

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
