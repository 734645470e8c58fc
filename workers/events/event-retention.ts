/**
 * Keeps the partitions of the event log: makes those of coming events, and removes events older than EVENT_RETENTION, but
 * none that happened after a snapshot which is kept.
 */
import type pg from "pg";
import {
  deleteHiddenStrays,
  dropHiddenEvents,
  hideOldEvents,
  makeEventPartitions,
} from "../../db/events/event-retention.ts";
import { oldestSnapshot, type SnapshotPlace } from "../../db/snapshots/place.ts";
import { databaseNow } from "../../db/sql/database-clock.ts";
import { transaction } from "../../db/sql/transaction.ts";
import { defineJob } from "../job.ts";

/** Max rows per transaction; keeps its locks short. */
const ROWS_PER_TRANSACTION = 2_000;

/** Resumes: at the oldest events; a part that fails is tried by the next run. */
export const eventRetention = defineJob({
  name: "event-retention",
  schedule: { everyMs: 600_000 },
  run: async ({ db, config, snapshots }) =>
    retainEvents(db, { now: await databaseNow(db), retentionMs: config.eventRetentionMs, snapshots }),
});

/** @returns number of events that can no longer be read */
export async function retainEvents(
  db: pg.Pool,
  { now, retentionMs, snapshots }: { now: Date; retentionMs: number; snapshots?: SnapshotPlace | null | undefined },
) {
  await makeEventPartitions(db, { now, retentionMs });
  const before = new Date(now.getTime() - retentionMs);
  const through = (await oldestSnapshot(snapshots))?.continueFrom.events ?? Number.MAX_SAFE_INTEGER;
  let hidden = 0;
  for (let rows = ROWS_PER_TRANSACTION; rows === ROWS_PER_TRANSACTION; hidden += rows)
    rows = await transaction(db, (tx) => hideOldEvents(tx, { before, through, limit: ROWS_PER_TRANSACTION }));
  await dropHiddenEvents(db, { before });
  while ((await deleteHiddenStrays(db, { most: ROWS_PER_TRANSACTION })) > 0);
  return hidden;
}
