/**
 * Tables partitioned by time (functions in db/triggers.sql): partitions are made ahead, and dropped as a whole when all
 * of their rows are old.
 * Resumes: at the partitions of now and next, and at those that are all old; a lock that is not free within 0.4 s fails
 * the run (event-retention, directory-ranks, prune), and the next one tries again. Rows without a partition go into the
 * default one.
 */
import { statement, t } from "./statement.ts";

/** How long the time of one partition is, in UTC. */
type Period = "day" | "week" | "month";
/** A table of `offchain` that `partition_by_time` was called for. */
type PartitionedTable = "directory_rank" | "event" | "probe";

/**
 * Makes the partition of a time and the next one, where they are missing.
 * @returns how many were made
 * @throws the driver's error 55P03 when writers or readers hold the table for more than 0.4 s; the next call tries again
 */
export const makePartitions = statement({
  name: "partitions-make",
  params: { table: t.narrow<PartitionedTable>(t.text), period: t.narrow<Period>(t.text), now: t.timestamptz },
  text: "select offchain.make_partitions($table, $period, $now) as made",
  columns: { made: t.int4 },
}).onlyValue;

/**
 * Drops the partitions whose rows are all older than a time.
 * @returns how many were dropped
 * @throws as above
 */
export const dropPartitions = statement({
  name: "partitions-drop",
  params: { table: t.narrow<PartitionedTable>(t.text), before: t.timestamptz },
  text: "select offchain.drop_partitions($table, $before) as dropped",
  columns: { dropped: t.int4 },
}).onlyValue;
