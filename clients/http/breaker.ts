/** A circuit breaker: an upstream that keeps failing is left alone for a while, then asked by one request at a time. */

export type Breaker = {
  /** It has failed so often that it is not asked, or by one request at a time. */
  readonly open: boolean;
  /** Seconds to wait before the upstream may be asked; 0 when it may be asked now. Who gets 0 reports what came of it. */
  wait(): number;
  succeeded(): void;
  failed(): void;
  /** The request gave no verdict on the upstream: it was not sent, or the fault was not the upstream's. */
  withdrawn(): void;
};

export type BreakerOptions = {
  /** So many failures in a row open it. */
  failures: number;
  /** How long it stays open at first; every failed trial doubles it. */
  openMs: number;
  longestMs: number;
  /** Milliseconds since the epoch. */
  now(): number;
};

export function breaker({ failures, openMs, longestMs, now }: BreakerOptions): Breaker {
  let inARow = 0;
  let openFor = openMs;
  /** When the next trial may begin; null while closed. */
  let trialAt: number | null = null;
  let trying = false;

  return {
    get open() {
      return trialAt !== null;
    },
    wait() {
      if (trialAt === null) return 0;
      if (trying) return 1;
      const left = trialAt - now();
      if (left > 0) return Math.ceil(left / 1000);
      trying = true;
      return 0;
    },
    succeeded() {
      inARow = 0;
      openFor = openMs;
      trialAt = null;
      trying = false;
    },
    failed() {
      inARow++;
      if (trying) openFor = Math.min(openFor * 2, longestMs);
      if (trying || inARow >= failures) trialAt = now() + openFor;
      trying = false;
    },
    withdrawn() {
      trying = false;
    },
  };
}
