/**
 * What was committed since the last look, each change exactly once: by which transactions a snapshot of the database
 * sees. Rows carry the transaction that changed them last, in an indexed column of type `xid8`.
 */
import type pg from "pg";

/** What a look saw: all transactions below `end` but those that were `underWay`. Decimals of type `xid8`. */
export type Look = { end: string; underWay: string[] };

/** What the transaction's own snapshot sees. A standby would not tell which are under way; memory follows a primary. */
export async function look(tx: pg.ClientBase): Promise<Look> {
  const { rows } = await tx.query(LOOK);
  return rows[0];
}

const LOOK = {
  name: "commits-look",
  text: `select pg_snapshot_xmax(s)::text as end, array(select pg_snapshot_xip(s)::text) as "underWay"
    from pg_current_snapshot() s`,
};

/**
 * A condition on rows that the snapshot of `now` sees: those whose last change the look `before` did not see. A mark
 * beyond both, as a dump restored from another server brings, is no change.
 * @param column of type `xid8`, as SQL
 */
export function changedBetween(column: string, before: Look, now: Look): string {
  const since = `${column} >= ${xid(before.end)} and ${column} < ${xid(now.end)}`;
  if (before.underWay.length === 0) return since;
  return `(${since} or ${column} in (${before.underWay.map(xid).join(", ")}))`;
}

/** A decimal of the database's own, checked all the same because it becomes SQL. */
const xid = (decimal: string) => `'${BigInt(decimal)}'::xid8`;
