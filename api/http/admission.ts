/** Who may come in while the database has more to do than it can: nobody joins a line that takes too long. */
import type pg from "pg";
import { fail } from "../../core/errors.ts";

/** @throws Failure overloaded, at once, when whoever came in would wait too long for a connection */
export type Admission = () => void;

/** What of a pool it is told by. */
export type Line = Pick<pg.Pool, "waitingCount"> & {
  /** `connectionTimeoutMillis` is what it lets anybody wait; without it, it refuses nobody. */
  options: { max: number; connectionTimeoutMillis?: number | undefined };
  on(event: "acquire", told: (client: pg.PoolClient) => void): unknown;
  on(event: "release", told: (error: Error | undefined, client: pg.PoolClient) => void): unknown;
};

/** The part of the longest wait for a connection that is still better than a refusal. */
const WORTH_WAITING = 0.5;
/** Over about so many uses of a connection it is remembered how long they take. */
const REMEMBERED = 32;
/** Until something is known. */
const FIRST_GUESS_MS = 5;

/**
 * Keeps the wait for the pool's connections short by sending away who comes last, because an answer that everybody would
 * wait for too long is worse than a refusal that costs nothing: clients can come back. A line of quick questions may be
 * long, one of slow questions not: the wait is the length of the line times what a connection takes for each.
 * @param clock milliseconds that never go back
 */
export function admission(db: Line, clock: () => number = () => performance.now()): Admission {
  const since = new Map<pg.PoolClient, number>();
  let usual = FIRST_GUESS_MS;
  db.on("acquire", (client) => since.set(client, clock()));
  db.on("release", (_error, client) => {
    const began = since.get(client);
    if (began === undefined) return;
    since.delete(client);
    usual += (clock() - began - usual) / REMEMBERED;
  });
  /** What one use takes: what it took lately, or longer where those under way have taken longer already. */
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
