/** A circuit breaker: an upstream that keeps failing gets no requests for a while, then one request at a time. */

export type Breaker = {
  /** The upstream gets no requests, or one trial request at a time. */
  readonly open: boolean;
  /** Seconds to wait before the upstream may be asked; 0 when it may be asked now. A caller that gets 0 reports the outcome of its request. */
  wait(): number;
  succeeded(): void;
  failed(): void;
  /** The request says nothing about the upstream: it was not sent, or the fault was not the upstream's. */
  withdrawn(): void;
};

export type BreakerOptions = {
  /** Failures in a row that open the breaker. */
  failures: number;
  /** First time that it stays open; every failed trial doubles it. */
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
