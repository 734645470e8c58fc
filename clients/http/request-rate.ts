/** A token bucket: how many requests an upstream is sent at most. */

export type RequestRate = {
  /** Takes a token, on credit if need be. @returns milliseconds to wait before it may be used */
  take(): number;
  /** Gives back a token that is not used after all. */
  giveBack(): void;
};

/** @param rate.burst tokens of a full bucket @param rate.perSecond tokens that come back */
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
