/** A token bucket and a circuit breaker for each host, so that a slow, strict or broken host does not delay the others. */
import { type Breaker, type BreakerOptions, breaker } from "./breaker.ts";
import { requestRate } from "./request-rate.ts";

export type Pace = Pick<Breaker, "succeeded" | "failed"> & {
  /**
   * Takes a token of the host's rate.
   * @param maxWaitMs max wait for the token
   * @returns `ms`: wait before the request may be sent; `seconds` above 0: no token was taken, retry after this time
   */
  take(maxWaitMs: number): { ms: number; seconds: number };
  /** The host asked for no requests during this time. */
  away(seconds: number): void;
};

/** Max hosts in memory; the least recently used one is dropped. */
const MAX_HOSTS = 2_000;

/**
 * Check then write: the host's rate and breaker, then the request; the token is taken before the wait, and the breaker
 * is asked after it.
 * @param now milliseconds since the epoch
 * @returns the pace of a host
 */
export function hostPaces(
  options: { rate: { burst: number; perSecond: number }; breaker: Omit<BreakerOptions, "now"> },
  now: () => number,
): (host: string) => Pace {
  const known = new Map<string, Pace>();
  return (host) => {
    const pace = known.get(host) ?? paceOf();
    known.delete(host);
    known.set(host, pace);
    if (known.size > MAX_HOSTS) known.delete(known.keys().next().value!);
    return pace;
  };

  function paceOf(): Pace {
    const rate = requestRate(options.rate, now);
    const circuit = breaker({ ...options.breaker, now });
    let awayUntil = 0;
    return {
      take(maxWaitMs) {
        const away = Math.ceil((awayUntil - now()) / 1000);
        if (away > 0) return { ms: 0, seconds: away };
        const ms = rate.take();
        const open = ms > maxWaitMs ? Math.ceil(ms / 1000) : circuit.wait();
        if (open === 0) return { ms, seconds: 0 };
        rate.giveBack();
        return { ms: 0, seconds: open };
      },
      away(seconds) {
        awayUntil = now() + seconds * 1000;
        circuit.withdrawn();
      },
      succeeded: circuit.succeeded,
      failed: circuit.failed,
    };
  }
}
