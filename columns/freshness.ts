/** Whether a table in memory answers a question, or SQL does: by how old the memory is. */
import type { LiveTable } from "./live-table.ts";
import type { ColumnTable } from "./table.ts";

/** Memory that has not been compared with the database for longer is used for nothing. */
const TOO_OLD_MS = 30_000;
/** While it is older than it should be, one question in this time goes to SQL. */
const ASIDE_MS = 1_000;

export type Answering = {
  /** The table, if it was compared with the database within `maxAgeMs`. */
  fresh(): ColumnTable | undefined;
  /**
   * The table that answers the next question; undefined when SQL does. Memory that is too old is that of a feed which is
   * broken, or of a database which is too busy to be followed. The first asks for SQL; the second would never recover if
   * it had to do everybody's sorting as well. So SQL gets one question a second, and memory answers the others.
   */
  next(): ColumnTable | undefined;
  /** The table, if it is not too old to be used at all. */
  usable(): ColumnTable | undefined;
};

export function answering(live: LiveTable<unknown> | undefined, maxAgeMs: number): Answering {
  let asideAt = Number.NEGATIVE_INFINITY;
  const within = (ms: number) => (live?.asOf && Date.now() - live.asOf.getTime() <= ms ? live.table : undefined);
  const fresh = () => within(maxAgeMs);
  const usable = () => within(Math.max(TOO_OLD_MS, maxAgeMs));
  return {
    fresh,
    usable,
    next() {
      const table = fresh();
      if (table) return table;
      if (performance.now() - asideAt < ASIDE_MS) return usable();
      asideAt = performance.now();
      return undefined;
    },
  };
}
