/**
 * What becomes of old events. Readers see the log after `event_log.kept_after`, which moves over the old events at its
 * beginning; their rows go with the partition of their day.
 * Check then write: all events of a partition are hidden, or one is missing, then `drop table` or a new partition
 * (time-partitions.ts); another worker, a writer or the sequencer may come: advisory lock by table, a partition is
 * looked at again under the lock of the log, and a new one is attached when no writer runs; `kept_after` only grows,
 * and readers look at it in the statement that reads.
 */
import { type Queryable, statement, t } from "../sql/statement.ts";
import { makePartitions } from "../sql/time-partitions.ts";

/** Retention in ms from which partitions are months: each one costs every statement that does not name a time. */
const MONTHS_FROM_MS = 62 * 86_400_000;

/** Makes the partitions of events that happen now and next. @param retentionMs how long events may be read */
export const makeEventPartitions = (
  db: Queryable,
  { now, retentionMs }: { now: Date; retentionMs: number },
): Promise<number> =>
  makePartitions(db, { table: "event", period: retentionMs > MONTHS_FROM_MS ? "month" : "day", now });

// Before any lock of the events, as the sequencer does.
const LOCK_LOG = statement({
  name: "event-retention-lock",
  text: `select kept_after as "keptAfter" from offchain.event_log for update`,
  columns: { keptAfter: t.int8 },
});
const HIDE = statement({
  name: "event-hide-old",
  params: { before: t.timestamptz, through: t.int8, limit: t.int8 },
  text: `with oldest as materialized (
       select position, at from offchain.event
       where position > (select kept_after from offchain.event_log) and position <= $through
       order by position limit $limit
     ), hidden as materialized (
       select position from oldest
       where position < coalesce((select min(position) from oldest where at >= $before), 9223372036854775807)
     ), kept as (
       update offchain.event_log set kept_after = h.through from (select max(position) as through from hidden) h
       where kept_after < h.through
     )
     select count(*)::int4 as hidden from hidden`,
  columns: { hidden: t.int4 },
});

/**
 * Hides the events at the beginning of the log that happened before a time from all readers, at most `limit`: no event
 * behind a younger one, and none after position `through`.
 * @param tx a transaction that holds nothing of the log
 * @returns their number; less than `limit` when no more are old enough
 */
export async function hideOldEvents(
  tx: Queryable,
  { before, through, limit }: { before: Date; through: number; limit: number },
): Promise<number> {
  await LOCK_LOG.one(tx);
  return (await HIDE.one(tx, { before, through, limit })).hidden;
}

/**
 * Drops the partitions that ended before a time and whose events are all hidden.
 * @returns how many
 * @throws the driver's error 55P03 when writers or readers hold the log for more than 0.4 s; the next call tries again
 */
export const dropHiddenEvents = statement({
  name: "event-drop-partitions",
  params: { before: t.timestamptz },
  text: "select offchain.event_drop_partitions($before) as dropped",
  columns: { dropped: t.int4 },
}).onlyValue;

/** Deletes hidden events of days without a partition, at most `most` of each table that has such. @returns their number */
export const deleteHiddenStrays = statement({
  name: "event-delete-strays",
  params: { most: t.int4 },
  text: "select offchain.event_delete_strays($most) as deleted",
  columns: { deleted: t.int4 },
}).onlyValue;
