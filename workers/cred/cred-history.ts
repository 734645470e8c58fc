/** Begins the partition of each month of the score history, and removes months older than CRED_HISTORY_RETENTION. */
import type pg from "pg";
import { beginMonth, removeMonths } from "../../db/cred/cred-history-months.ts";
import { databaseNow } from "../../db/sql/database-clock.ts";
import { defineJob } from "../job.ts";

/**
 * Resumes: at the month; a lock that is not free within 2 s fails the run, and the next one, an hour later, tries
 * again. Ids without a partition go into the default one.
 */
export const credHistory = defineJob({
  name: "cred-history",
  schedule: { everyMs: 3_600_000 },
  run: async ({ db, config }) =>
    retainMonths(db, { now: await databaseNow(db), retentionMs: config.credHistoryRetentionMs }),
});

/** @returns number of months that began and that were removed */
export async function retainMonths(
  db: pg.Pool,
  { now, retentionMs }: { now: Date; retentionMs: number | undefined },
): Promise<number> {
  const begun = await beginMonth(db, now);
  return retentionMs === undefined ? begun : begun + (await removeMonths(db, new Date(now.getTime() - retentionMs)));
}
