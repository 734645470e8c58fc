/** A token bucket that limits the requests to an upstream. */

export type RequestRate = {
  /** Takes a token; the bucket may go below zero. @returns milliseconds to wait before the token may be used */
  take(): number;
  /** Returns an unused token. */
  giveBack(): void;
};

/** @param rate.burst tokens in a full bucket @param rate.perSecond tokens added per second */
export function requestRate(rate: { burst: number; perSecond: number }, now: () => number): RequestRate {
  let tokens = rate.burst;
  let at = now();
  return {
    take() {
      const time = now();
      tokens = Math.min(rate.burst, tokens + ((time - at) / 1000) * rate.perSecond) - 1;
      at = time;
      return tokens >= 0 ? 0 : Math.ceil((-tokens / rate.perSecond) * 1000);
    },
    giveBack() {
      tokens++;
    },
  };
}
