/** Decides by the age of a table in memory whether it answers a query, or SQL does. */
import type { LiveTable } from "./live-table.ts";
import type { ColumnTable } from "./table.ts";

/** Memory that was not compared with the database for longer is not used at all. */
const UNUSABLE_AFTER_MS = 30_000;
/** While memory is older than it should be, SQL answers one query in each such period. */
const SQL_PERIOD_MS = 1_000;

export type FreshnessPolicy = {
  /** The table, if it was compared with the database within `maxAgeMs`. */
  fresh(): ColumnTable | undefined;
  /**
   * The table that answers the next query; undefined when SQL does. Memory becomes too old when its feed is broken, or
   * when the database is too busy to be followed. A broken feed calls for SQL; a busy database never recovers if it has
   * to do all sorting as well. So SQL gets one query per second and memory answers the others.
   */
  next(): ColumnTable | undefined;
  /** The table, if it is not too old to be used at all. */
  usable(): ColumnTable | undefined;
  /**
   * Whether all answers show what was committed before a moment, in milliseconds since the epoch: without a usable table SQL
   * gives them. A table that does not show it yet is compared with the database at once.
   */
  shows(moment: number): boolean;
};

export function freshnessPolicy(live: LiveTable<unknown> | undefined, maxAgeMs: number): FreshnessPolicy {
  let sqlAt = Number.NEGATIVE_INFINITY;
  const within = (ms: number) => (live?.asOf && Date.now() - live.asOf.getTime() <= ms ? live.table : undefined);
  const fresh = () => within(maxAgeMs);
  const usable = () => within(Math.max(UNUSABLE_AFTER_MS, maxAgeMs));
  return {
    fresh,
    usable,
    shows(moment) {
      if (usable() === undefined || live!.asOf!.getTime() >= moment) return true;
      live!.wake();
      return false;
    },
    next() {
      const table = fresh();
      if (table) return table;
      if (performance.now() - sqlAt < SQL_PERIOD_MS) return usable();
      sqlAt = performance.now();
      return undefined;
    },
  };
}
