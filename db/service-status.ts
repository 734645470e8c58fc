/** How the service is doing, as the database tells it: runs of scheduled jobs, scores that are behind. */
import type { Queryable } from "./transaction.ts";

export type ScheduledRun = {
  name: string;
  lastSuccessAt: Date | null;
  nextRunAt: Date;
  /** Rows the last successful run changed. */
  rows: number | null;
  /** Why the last run failed, one sentence; null when it succeeded. */
  error: string | null;
};

/** The last run of each scheduled job, by name. */
export async function scheduledRuns(db: Queryable): Promise<ScheduledRun[]> {
  const { rows } = await db.query({
    name: "status-scheduled-runs",
    text: `
      select name, last_success_at as "lastSuccessAt", next_run_at as "nextRunAt", rows, error
      from offchain.job_run order by name`,
  });
  return rows;
}

/** How many stored scores do not belong to the agent's present state, or are missing. */
export async function staleScores(db: Queryable): Promise<number> {
  const { rows } = await db.query({
    name: "status-stale-scores",
    text: `
      select count(*)::int8 as stale from onchain.agent a left join offchain.cred c on c.token_id = a.token_id
      where c.seen_block is distinct from a.updated_block`,
  });
  return Number(rows[0].stale);
}
