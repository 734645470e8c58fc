/**
 * Keeps the partitions of the event log: makes those of coming events, and removes events older than EVENT_RETENTION, but
 * none that happened after a snapshot which is kept, unless it should have been replaced long ago.
 */
import type pg from "pg";
import { fail } from "../../core/errors.ts";
import {
  deleteHiddenStrays,
  dropHiddenEvents,
  hideOldEvents,
  makeEventPartitions,
} from "../../db/events/event-retention.ts";
import { eventLog } from "../../db/events/events.ts";
import { type Holders, holdersAt, oldestSnapshot, oldestUnlessAway } from "../../db/snapshots/place.ts";
import { databaseNow } from "../../db/sql/database-clock.ts";
import { transaction } from "../../db/sql/transaction.ts";
import { defineJob } from "../job.ts";

/** Max rows per transaction; keeps its locks short. */
const ROWS_PER_TRANSACTION = 2_000;

/** Resumes: at the oldest events; a part that fails is tried by the next run. */
export const eventRetention = defineJob({
  name: "event-retention",
  schedule: { everyMs: 600_000 },
  run: async ({ db, config, snapshots: place }) => {
    const now = await databaseNow(db);
    const snapshots = holdersAt(now, place, config.snapshots.retentionMs, config.eventRetentionMs);
    return retainEvents(db, { now, retentionMs: config.eventRetentionMs, snapshots });
  },
});

type Retention = { now: Date; retentionMs: number; snapshots?: Holders };

/**
 * @returns number of events that can no longer be read
 * @throws Failure, when all else is done: the snapshots cannot be read, or one is so old that it has lost what happened after it
 */
export async function retainEvents(
  db: pg.Pool,
  { now, retentionMs, snapshots = { place: null, since: now } }: Retention,
): Promise<number> {
  await makeEventPartitions(db, { now, retentionMs });
  const { oldest, away } = await oldestUnlessAway(snapshots);
  const before = away === undefined ? new Date(now.getTime() - retentionMs) : snapshots.since;
  const through = oldest?.continueFrom.events ?? Number.MAX_SAFE_INTEGER;
  let hidden = 0;
  for (let rows = ROWS_PER_TRANSACTION; rows === ROWS_PER_TRANSACTION; hidden += rows)
    rows = await transaction(db, (tx) => hideOldEvents(tx, { before, through, limit: ROWS_PER_TRANSACTION }));
  await dropHiddenEvents(db, { before });
  while ((await deleteHiddenStrays(db, { most: ROWS_PER_TRANSACTION })) > 0);
  if (away !== undefined) throw away;
  const first = await oldestSnapshot({ ...snapshots, since: new Date(0) });
  if (first && first.continueFrom.events < (await eventLog(db)).keptAfter)
    fail("upstream_unavailable", `Events after snapshot ${first.id} are kept no longer: it is too old.`);
  return hidden;
}
