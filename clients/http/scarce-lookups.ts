/** Lookups that an allowance has no request left for wait for the next one and share it. */
import { setTimeout as sleep } from "node:timers/promises";
import { Failure } from "../../core/errors.ts";
import type { Spend } from "../ports.ts";
import { onBehalfOf, spender } from "./on-behalf.ts";

export type ScarceLookups<K, V> = {
  /** One request for one key. */
  one(key: K): Promise<V>;
  /** One request for several keys: their values in the same order. A key without an answer is an Error of its own. */
  several(keys: readonly K[]): Promise<(V | Error)[]>;
  /** Max keys of one request. */
  most: number;
  /** Max milliseconds that a lookup waits for its request to be sent. */
  patienceMs: number;
  /** Max lookups that wait; one more is refused at once. */
  places: number;
  pause?(ms: number): Promise<unknown>;
};

type Waiting<K, V> = {
  key: K;
  spend: Spend;
  /** When it has waited for long enough; milliseconds of `performance.now()`. */
  until: number;
  /** Why it waits. */
  refusal: Failure;
  resolve(value: V): void;
  reject(error: unknown): void;
};

/** Either the request was sent, or the allowance of the caller who was to pay for it has none left for some seconds. */
type Attempt<V> = { sent: true; values: (V | Error)[] } | { sent: false; seconds: number; refusal: Failure };

/**
 * A lookup that is sent at once while the caller's allowance has a request left. Else it waits, and the next request that
 * any waiting caller's allowance has is sent for all of them: callers who use up an allowance delay the others by the
 * time of one request, and keep none of them from an answer.
 * @returns the lookup of one key; it throws what `one` and `several` throw, and upstream_unavailable after `patienceMs`
 */
export function scarceLookups<K, V>(parts: ScarceLookups<K, V>): (key: K) => Promise<V> {
  const { one, several, most, patienceMs, places, pause = sleep } = parts;
  let waiting: Waiting<K, V>[] = [];
  let serving = false;

  async function attempt(spend: Spend, keys: readonly K[]): Promise<Attempt<V>> {
    let seconds = 0;
    const counted: Spend = async (rate) => {
      seconds = await spend(rate);
      return seconds;
    };
    try {
      const values = await onBehalfOf(counted, async () => (keys.length === 1 ? [await one(keys[0]!)] : several(keys)));
      return { sent: true, values };
    } catch (error) {
      if (seconds > 0 && error instanceof Failure) return { sent: false, seconds, refusal: error };
      throw error;
    }
  }

  /** Sends one request for some, paid by the first of them who can. @returns seconds until one of them can, 0 when it was sent */
  async function send(batch: readonly Waiting<K, V>[]): Promise<number> {
    if (batch.length === 0) return 0;
    const keys = batch.map(({ key }) => key);
    let soonest = Infinity;
    for (const payer of batch) {
      const tried = await attempt(payer.spend, keys);
      if (tried.sent) {
        batch.forEach(({ resolve, reject }, i) => {
          const value = tried.values[i]!;
          if (value instanceof Error) reject(value);
          else resolve(value);
        });
        return 0;
      }
      payer.refusal = tried.refusal;
      soonest = Math.min(soonest, tried.seconds);
    }
    return soonest;
  }

  function refuseLate(now: number): void {
    for (const { reject, refusal } of waiting.filter(({ until }) => until <= now)) reject(refusal);
    waiting = waiting.filter(({ until }) => until > now);
  }

  /** Sends what waits until nothing does. `serving` ends in the same turn as the loop: who comes later starts the next one. */
  async function serve(seconds: number): Promise<void> {
    serving = true;
    let left = seconds;
    while (waiting.length > 0) {
      const patience = Math.min(...waiting.map(({ until }) => until)) - performance.now();
      await pause(Math.max(1, Math.min(left * 1000, patience)));
      refuseLate(performance.now());
      const batch = waiting.splice(0, most);
      try {
        left = await send(batch);
        if (left > 0) waiting.unshift(...batch);
      } catch (error) {
        left = 0;
        for (const { reject } of batch) reject(error);
      }
    }
    serving = false;
  }

  return async (key) => {
    const spend = spender();
    if (spend === undefined) return one(key);
    const tried: Attempt<V> | undefined = serving ? undefined : await attempt(spend, [key]);
    if (tried?.sent) return orThrow(tried.values[0]!);
    if (waiting.length >= places || (tried && tried.seconds * 1000 > patienceMs)) throw tried?.refusal ?? noPlace();
    return new Promise<V>((resolve, reject) => {
      const refusal = tried?.refusal ?? noPlace();
      waiting.push({ key, spend, until: performance.now() + patienceMs, refusal, resolve, reject });
      if (!serving) void serve(tried?.seconds ?? 0);
    });
  };
}

function orThrow<V>(value: V | Error): V {
  if (value instanceof Error) throw value;
  return value;
}

const noPlace = () =>
  new Failure("upstream_unavailable", "Too many lookups wait for this platform. Please try again later.", {
    retryAfter: 10,
  });
