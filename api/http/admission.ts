/**
 * Admission control while the database is overloaded: a request that would wait too long for a connection is refused at
 * once.
 */
import type pg from "pg";
import { fail } from "../../core/errors.ts";

/** @throws Failure overloaded, at once, when the request would wait too long for a connection */
export type Admission = () => void;

/** The part of a pool that it observes. */
export type PoolQueue = Pick<pg.Pool, "waitingCount"> & {
  /** `connectionTimeoutMillis` is the pool's longest wait; without it, no request is refused. */
  options: { max: number; connectionTimeoutMillis?: number | undefined };
  on(event: "acquire", listener: (client: pg.PoolClient) => void): unknown;
  on(event: "release", listener: (error: Error | undefined, client: pg.PoolClient) => void): unknown;
};

/** Share of the longest wait for a connection above which a refusal is better. */
const WORTH_WAITING = 0.5;
/** Uses of a connection over which their mean duration is taken. */
const REMEMBERED = 32;
/** Assumed duration of a use before the first one is measured. */
const FIRST_GUESS_MS = 5;

/**
 * Keeps the wait for the pool's connections short by refusing the newest requests: a late answer for all clients is
 * worse than a refusal that costs nothing and can be retried. A queue of fast queries may be long, one of slow queries
 * may not: the wait is the length of the queue times the duration of a use.
 * @param clock monotonic milliseconds
 */
export function admission(db: PoolQueue, clock: () => number = () => performance.now()): Admission {
  const since = new Map<pg.PoolClient, number>();
  let usual = FIRST_GUESS_MS;
  db.on("acquire", (client) => since.set(client, clock()));
  db.on("release", (_error, client) => {
    const began = since.get(client);
    if (began === undefined) return;
    since.delete(client);
    usual += (clock() - began - usual) / REMEMBERED;
  });
  /** Duration of one use: the recent mean, or the mean age of the uses under way where that is longer. */
  const each = () => {
    if (since.size === 0) return usual;
    let sum = 0;
    for (const began of since.values()) sum += began;
    return Math.max(usual, clock() - sum / since.size);
  };
  return () => {
    if (db.waitingCount < db.options.max) return;
    const { max, connectionTimeoutMillis: longest = 0 } = db.options;
    if (longest > 0 && (db.waitingCount * each()) / max > longest * WORTH_WAITING)
      fail("overloaded", "The service has more to do than it can at the moment. Try again shortly.", { retryAfter: 1 });
  };
}
