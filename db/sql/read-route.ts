/** How a pool gives single statements and snapshots to another server, without its users' knowledge. */
import type pg from "pg";

/** Runs reads on a pool of its choice; may run `work` again on another one. */
export type ReadRoute = <T>(work: (db: pg.Pool) => Promise<T>) => Promise<T>;

const routes = new WeakMap<object, ReadRoute>();
const primaries = new WeakMap<object, pg.Pool>();

/** The route of the snapshots of a pool; undefined: they run on the pool itself. */
export const readRouteOf = (db: object): ReadRoute | undefined => routes.get(db);

/** The server that has all locks and takes all writes: for what a replica does not know. @param db a pool, or a connection */
export const primaryOf = <Db extends object>(db: Db): Db | pg.Pool => primaries.get(db) ?? db;

/**
 * The pool, but for two things: a statement by `query` takes the route, and so does a snapshot (db/sql/transaction.ts).
 * Connections, and so all transactions that may write, are those of `primary`. A statement that writes is refused by a
 * replica without effect, and the route runs it on the primary.
 */
export function routeReads(primary: pg.Pool, route: ReadRoute): pg.Pool {
  const query = (...args: Parameters<pg.Pool["query"]>) =>
    route((db) => db.query(...args) as unknown as Promise<unknown>);
  const routed = new Proxy(primary, {
    get(target, key) {
      if (key === "query") return query;
      const value = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  routes.set(routed, route);
  primaries.set(routed, primary);
  return routed;
}
