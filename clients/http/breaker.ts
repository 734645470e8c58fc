/** A circuit breaker: after repeated failures an upstream gets no requests for some time, then one trial request at a time. */

export type Breaker = {
  /** The upstream gets no requests, or one trial request at a time. */
  readonly open: boolean;
  /** Seconds until a request is allowed; 0: now. A caller that gets 0 must report the outcome of its request. */
  wait(): number;
  succeeded(): void;
  failed(): void;
  /** Reports an outcome without information on the upstream: the request was not sent, or another party failed. */
  withdrawn(): void;
};

export type BreakerOptions = {
  /** Failures in a row that open the breaker. */
  failures: number;
  /** Milliseconds of the first open period; every failed trial doubles it. */
  openMs: number;
  longestMs: number;
  /** Milliseconds since the epoch. */
  now(): number;
};

export function breaker({ failures, openMs, longestMs, now }: BreakerOptions): Breaker {
  let inARow = 0;
  let openFor = openMs;
  /** Time of the next allowed trial; null while closed. */
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
