/**
 * Finds what was committed between two snapshots of the database, each change exactly once. Rows carry the transaction
 * that changed them last, in an indexed column of type `xid8`.
 */

/**
 * Which transactions a snapshot sees: those below `xmax`, except the ones that were `inProgress`. Decimals of type
 * `xid8`, as in Postgres' `pg_snapshot`.
 */
export type CommitSnapshot = { xmax: string; inProgress: string[] };

/**
 * SELECT of the snapshot of a transaction, as one row: `xmax` text, `inProgress` text[]. A standby does not list
 * transactions in progress: only a primary will do.
 */
export const COMMIT_SNAPSHOT = `
  select pg_snapshot_xmax(s)::text as xmax, array(select pg_snapshot_xip(s)::text) as "inProgress"
  from pg_current_snapshot() s`;

/**
 * SQL of a text that differs after a crash of the server and on another server, such as a promoted standby: there the last
 * commits may be lost, and their transaction ids are used again. It is the time, in microseconds, from which the server
 * counts statistics, which both reset. Every role may read it, also one that may not call `pg_control_system`.
 */
export const HISTORY = "concat(pg_stat_get_bgwriter_stat_reset_time())";

/**
 * SQL condition, for a statement that runs in the snapshot `now`, on rows whose last change the snapshot `before` does
 * not see. A transaction id beyond both snapshots, as a dump of another server brings, is no change.
 * @param column SQL of a column of type `xid8`
 */
export function changedBetween(column: string, before: CommitSnapshot, now: CommitSnapshot): string {
  const since = `${column} >= ${xid(before.xmax)} and ${column} < ${xid(now.xmax)}`;
  if (before.inProgress.length === 0) return since;
  return `(${since} or ${column} in (${before.inProgress.map(xid).join(", ")}))`;
}

/** The decimal comes from the database, and is checked because it becomes SQL. */
const xid = (decimal: string) => `'${BigInt(decimal)}'::xid8`;
