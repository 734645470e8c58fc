/** State of the service in the database: runs of scheduled jobs, scores that are behind. */
import { jobRun } from "../schema/service.ts";
import { preparedQuery } from "../sql/orm.ts";
import { type Queryable, statement, t } from "../sql/statement.ts";

export type ScheduledRun = {
  name: string;
  lastSuccessAt: Date | null;
  nextRunAt: Date;
  /** Rows the last successful run changed. */
  rows: number | null;
  /** Why the last run failed, one sentence; null when it succeeded. */
  error: string | null;
};

const RUNS = preparedQuery((db) =>
  db
    .select({
      name: jobRun.name,
      lastSuccessAt: jobRun.lastSuccessAt,
      nextRunAt: jobRun.nextRunAt,
      rows: jobRun.rows,
      error: jobRun.error,
    })
    .from(jobRun)
    .orderBy(jobRun.name)
    .prepare("status-scheduled-runs"),
);

/** The last run of each scheduled job, by name. */
export const scheduledRuns = (db: Queryable): Promise<ScheduledRun[]> => RUNS(db).execute();

/** Agents whose stored score is missing or belongs to an earlier state of the agent. */
export const staleScores = statement({
  name: "status-stale-scores",
  text: `
    select count(*)::int8 as stale from onchain.agent a left join offchain.cred c on c.token_id = a.token_id
    where c.seen_block is distinct from a.updated_block`,
  columns: { stale: t.int8 },
  prepared: true,
}).onlyValue;
