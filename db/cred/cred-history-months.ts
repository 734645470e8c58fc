/**
 * The months of the score history: each has a partition, made ahead (functions in db/triggers.sql). Of months that are no
 * longer kept, the last point of each agent stays: it is the score at the beginning of what is kept.
 */
import type pg from "pg";
import { statement, t } from "../sql/statement.ts";
import { transaction, withoutTimeLimits } from "../sql/transaction.ts";
import { settledCredId } from "./cred-updates.ts";

/**
 * Begins the month's partition where it has not begun, and makes the next one ahead. A run that finds a partition missing
 * makes it, and writes go into the default partition meanwhile.
 * Check then write: the month has begun, and its last points (`removeMonths`), then a leap of the sequence and the
 * partitions; another worker, a writer or a retraction may come: advisory lock; ids after the leap only grow, and what
 * announced itself before stays announced; the swap takes the table's lock and collects anew what corrections name.
 * @returns 1 where a month began, else 0
 */
export const beginMonth = statement({
  name: "cred-history-rotate",
  given: (now: Date) => ({ now }),
  params: { now: t.timestamptz },
  text: "select offchain.cred_history_rotate($now) as begun",
  columns: { begun: t.int4 },
}).onlyValue;
const GATHER = statement({
  name: "cred-history-gather",
  params: { before: t.timestamptz },
  text: "select offchain.cred_history_gather($before) as bound",
  columns: { bound: t.int8 },
});
const SWAP = statement({
  name: "cred-history-swap",
  params: { bound: t.int8, correctionsAfter: t.int8 },
  text: "select offchain.cred_history_swap($bound, $correctionsAfter) as removed",
  columns: { removed: t.int4 },
});
/**
 * `keptSince`: the history before has the last point of each agent only; null where all of it is kept. `stray`: points in
 * no month's partition.
 */
export const historyState = statement({
  name: "cred-history-state",
  text: `
    select nullif((select min(began_at) from offchain.cred_history_period), to_timestamp(0)) as "keptSince",
      (select count(*) from offchain.cred_history_default)::int8 as stray`,
  columns: { keptSince: t.nullable(t.timestamptz), stray: t.int8 },
  prepared: true,
}).one;

/**
 * Removes the months that ended before a time, but the last point of each agent.
 * @param db a pool: what was taken back while points were collected must show in a later snapshot
 * @returns number of partitions that were removed
 */
export async function removeMonths(db: pg.Pool, before: Date): Promise<number> {
  const correctionsAfter = await settledCredId(db);
  // A month of a million agents has 31 million points.
  const { bound } = await transaction(db, (tx) => GATHER.one(tx, { before }), withoutTimeLimits());
  return bound === null ? 0 : (await SWAP.one(db, { bound, correctionsAfter })).removed;
}
