/** The jobs that keep stored scores equal to the facts: after events, as time passes, and by comparison; and the months of their history. */
import type pg from "pg";
import { z } from "zod";
import { recomputeCred } from "../../db/cred/cred.ts";
import { beginMonth, removeMonths } from "../../db/cred/cred-history-months.ts";
import { CHECKS_OF_ALL, checkCred, reconcileCred, refreshAges, refreshAttested } from "../../db/cred/cred-passes.ts";
import { type Holders, holdersAt, oldestUnlessAway } from "../../db/snapshots/place.ts";
import { databaseNow } from "../../db/sql/database-clock.ts";
import { defineJob } from "../job.ts";

const DAY_MS = 86_400_000;

/**
 * Begins the partition of each month of the score history, and removes months older than CRED_HISTORY_RETENTION, but none
 * that a snapshot leads on to which is kept.
 * Resumes: at the month; a lock that is not free within 2 s fails the run, and the next one, an hour later, tries
 * again. Ids without a partition go into the default one.
 */
export const credHistory = defineJob({
  name: "cred-history",
  schedule: { everyMs: 3_600_000 },
  run: async ({ db, config, snapshots: place }) => {
    const now = await databaseNow(db);
    const snapshots = holdersAt(now, place, config.snapshots.retentionMs, config.eventRetentionMs);
    return retainMonths(db, { now, retentionMs: config.credHistoryRetentionMs, snapshots });
  },
});

type Retention = { now: Date; retentionMs: number | undefined; snapshots?: Holders };

/**
 * @returns number of months that began and that were removed
 * @throws Failure, when all else is done: the snapshots cannot be read
 */
export async function retainMonths(
  db: pg.Pool,
  { now, retentionMs, snapshots = { place: null, since: now } }: Retention,
): Promise<number> {
  const begun = await beginMonth(db, now);
  if (retentionMs === undefined) return begun;
  const { oldest, away } = await oldestUnlessAway(snapshots);
  const taken = away === undefined ? oldest && new Date(oldest.takenAt) : snapshots.since;
  // A point has the time at which its transaction began: a day covers any.
  const since = taken ? taken.getTime() - DAY_MS : Number.POSITIVE_INFINITY;
  const removed = await removeMonths(db, new Date(Math.min(now.getTime() - retentionMs, since)));
  if (away !== undefined) throw away;
  return begun + removed;
}

/**
 * Compares every score with the facts once a day, in parts, so that a mistake of the event-driven jobs lasts one day at
 * most.
 * Resumes: at its stored place, in ranges of 50,000.
 */
export const selfCheck = defineJob({
  name: "self-check",
  schedule: { everyMs: DAY_MS / CHECKS_OF_ALL },
  run: async ({ db, clock, log }) => {
    const { moved, missed } = await checkCred(db, clock());
    if (missed > 0) log.warn({ missed }, "scores were not up to date with their agents");
    return moved;
  },
});

/**
 * Finds lost jobs: recomputes every agent whose score was not computed from its newest block.
 * Resumes: at what differs from the index, or at a range of ids, in sets of 2,000 and ranges of 50,000; the formula is
 * clamped.
 */
export const reconcile = defineJob({
  name: "reconcile",
  schedule: { everyMs: 60_000 },
  run: ({ db, clock }) => reconcileCred(db, clock()),
});

/**
 * Recomputes scores within a minute of changes without an event: an exchange attestation that expired, or was lost
 * unindexed.
 * Resumes: at what differs, in sets of 2,000; the formula is clamped.
 */
export const exchangeExpiry = defineJob({
  name: "exchange-expiry",
  schedule: { everyMs: 60_000 },
  run: ({ db, clock }) => refreshAttested(db, clock()),
});

/**
 * Recomputes the scores of young agents, which grow with age. Once a day is needed; once an hour is cheap.
 * Resumes: at what differs, in sets of 2,000 and ranges of 50,000; the formula is clamped.
 */
export const ageRefresh = defineJob({
  name: "age-refresh",
  schedule: { everyMs: 3_600_000 },
  run: ({ db, clock }) => refreshAges(db, clock()),
});

export const score = defineJob({
  name: "score",
  concurrency: 4,
  queued: true,
  input: z.object({
    tokenIds: z.array(z.int().min(0)).min(1),
    /** The kind of index change that caused it. */
    cause: z.string(),
  }),
  run: async ({ db, clock }, { tokenIds, cause }) =>
    (await recomputeCred(db, { tokenIds }, { now: clock(), cause })).changed.length,
});
