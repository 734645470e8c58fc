/**
 * Tables partitioned by time (functions in db/triggers.sql): partitions are made ahead, and dropped as a whole when all
 * of their rows are old.
 * Resumes: at the partitions of now and next, and at those that are all old; a lock that is not free within 0.4 s fails
 * the run (event-retention, directory-ranks), and the next one tries again. Rows without a partition go into the
 * default one.
 */
import { int4, statement, text, timestamptz } from "./statement.ts";
import type { Queryable } from "./transaction.ts";

/** How long the time of one partition is, in UTC. */
export type Period = "day" | "month";
/** A table of `offchain` that `partition_by_time` was called for. */
export type PartitionedTable = "directory_rank" | "event";

const MAKE = statement({
  name: "partitions-make",
  params: { table: text, period: text, now: timestamptz },
  text: "select offchain.make_partitions($table, $period, $now) as made",
  columns: { made: int4 },
});
const DROP = statement({
  name: "partitions-drop",
  params: { table: text, before: timestamptz },
  text: "select offchain.drop_partitions($table, $before) as dropped",
  columns: { dropped: int4 },
});

/**
 * Makes the partition of a time and the next one, where they are missing.
 * @returns how many were made
 * @throws the driver's error 55P03 when writers or readers hold the table for more than 0.4 s; the next call tries again
 */
export const makePartitions = async (
  db: Queryable,
  of: { table: PartitionedTable; period: Period; now: Date },
): Promise<number> => (await MAKE.one(db, of)).made;

/**
 * Drops the partitions whose rows are all older than a time.
 * @returns how many were dropped
 * @throws as above
 */
export const dropPartitions = async (db: Queryable, of: { table: PartitionedTable; before: Date }): Promise<number> =>
  (await DROP.one(db, of)).dropped;
