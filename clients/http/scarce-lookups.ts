/** Batches lookups that wait for an allowance of requests: the next request serves all of them. */
import { setTimeout as sleep } from "node:timers/promises";
import { Failure } from "../../core/errors.ts";
import type { Spend } from "../ports.ts";
import { onBehalfOf, spender } from "./on-behalf.ts";

export type ScarceLookups<K, V> = {
  one(key: K): Promise<V>;
  /** One request for several keys; values in the same order. A key without an answer gets its own Error. */
  several(keys: readonly K[]): Promise<(V | Error)[]>;
  /** Max keys of one request. */
  most: number;
  /** Max milliseconds that a lookup waits for its request to be sent. */
  maxWaitMs: number;
  /** Max waiting lookups; a further one is refused immediately. */
  places: number;
  pause?(ms: number): Promise<unknown>;
};

type WaitingLookup<K, V> = {
  key: K;
  spend: Spend;
  /** End of its wait; milliseconds of `performance.now()`. */
  until: number;
  /** The error it gets when its wait ends. */
  refusal: Failure;
  resolve(value: V): void;
  reject(error: unknown): void;
};

/** Either the request was sent, or the paying caller's allowance is empty for `seconds`. */
type LookupAttempt<V> = { sent: true; values: (V | Error)[] } | { sent: false; seconds: number; refusal: Failure };

/**
 * A lookup is sent immediately while the caller's allowance has a request left. Otherwise it waits, and the next request
 * of any waiting caller's allowance is sent for all of them. So a caller who uses up an allowance delays others by one
 * request and cannot block them.
 * Resumes: at the lookups that wait for an allowance; an error ends those of its request, and one that has waited
 * `maxWaitMs` (12 s for X) is refused.
 * @returns the lookup of one key; it throws the errors of `one` and `several`, and upstream_unavailable after `maxWaitMs`
 */
export function scarceLookups<K, V>(parts: ScarceLookups<K, V>): (key: K) => Promise<V> {
  const { one, several, most, maxWaitMs, places, pause = sleep } = parts;
  let waiting: WaitingLookup<K, V>[] = [];
  let serving = false;

  async function attempt(spend: Spend, keys: readonly K[]): Promise<LookupAttempt<V>> {
    let seconds = 0;
    const counted: Spend = async (rate, reads) => {
      const wait = await spend(rate, reads);
      seconds = Math.max(seconds, wait);
      return wait;
    };
    try {
      const values = await onBehalfOf(counted, async () => (keys.length === 1 ? [await one(keys[0]!)] : several(keys)));
      return { sent: true, values };
    } catch (error) {
      if (seconds > 0 && error instanceof Failure) return { sent: false, seconds, refusal: error };
      throw error;
    }
  }

  /** Sends one request for a batch, paid by the first caller with an allowance. @returns seconds until one has it; 0: sent */
  async function send(batch: readonly WaitingLookup<K, V>[]): Promise<number> {
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

  /** Sends until no lookup waits. `serving` is reset in the same turn as the loop ends, so a later lookup starts a new loop. */
  async function serve(seconds: number): Promise<void> {
    serving = true;
    let left = seconds;
    while (waiting.length > 0) {
      const maxPauseMs = Math.min(...waiting.map(({ until }) => until)) - performance.now();
      await pause(Math.max(1, Math.min(left * 1000, maxPauseMs)));
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
    const tried: LookupAttempt<V> | undefined = serving ? undefined : await attempt(spend, [key]);
    if (tried?.sent) return orThrow(tried.values[0]!);
    if (waiting.length >= places || (tried && tried.seconds * 1000 > maxWaitMs)) throw tried?.refusal ?? noPlace();
    return new Promise<V>((resolve, reject) => {
      const refusal = tried?.refusal ?? noPlace();
      waiting.push({ key, spend, until: performance.now() + maxWaitMs, refusal, resolve, reject });
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
