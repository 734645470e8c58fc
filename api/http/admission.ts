/**
 * Admission control while the database is overloaded: a request that would wait too long for a connection is refused at
 * once.
 */
import type pg from "pg";
import { overloaded, UseTimes } from "../../db/sql/use-times.ts";

/** @throws Failure overloaded, at once, when the request would wait too long for a connection */
export type Admission = () => void;

/** The part of a pool that it observes. */
export type PoolQueue = Pick<pg.Pool, "waitingCount"> & {
  /** `connectionTimeoutMillis` is the pool's longest wait; without it, no request is refused. */
  options: { max: number; connectionTimeoutMillis?: number | undefined };
  on(event: "acquire", listener: (client: pg.PoolClient) => void): unknown;
  on(event: "release", listener: (error: Error | undefined, client: pg.PoolClient) => void): unknown;
};

/**
 * Keeps the wait for the pool's connections short by refusing the newest requests: a late answer for all clients is
 * worse than a refusal that costs nothing and can be retried. A queue of fast queries may be long, one of slow queries
 * may not: the wait is the length of the queue times the duration of a use.
 * Bound: the database's queue; a request is refused when its wait would exceed half of the longest wait, and statements
 * end after 15 s (wiring/connections.ts).
 * @param clock monotonic milliseconds
 */
export function admission(db: PoolQueue, clock?: () => number): Admission {
  const uses = new UseTimes<pg.PoolClient>(clock);
  db.on("acquire", (client) => uses.begin(client));
  db.on("release", (_error, client) => uses.end(client));
  return () => {
    const { max, connectionTimeoutMillis: longest = 0 } = db.options;
    if (longest > 0 && uses.isTooLong(db.waitingCount, max, longest)) throw overloaded();
  };
}
