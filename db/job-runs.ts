/** The last run of each scheduled job, and its result. */
import { float8, int4, nullable, statement, text, timestamptz } from "./statement.ts";
import type { Queryable } from "./transaction.ts";

const RECORD_RUN = statement({
  name: "record-job-run",
  params: { name: text, startedAt: timestamptz, rows: nullable(int4), error: nullable(text), everyMs: float8 },
  text: `
    insert into offchain.job_run as j (name, last_started_at, last_success_at, next_run_at, rows, error)
    values ($name, $startedAt, case when $error::text is null then clock_timestamp() end,
      $startedAt::timestamptz + $everyMs * interval '1 ms', $rows, $error)
    on conflict (name) do update set last_started_at = $startedAt, next_run_at = excluded.next_run_at, error = $error,
      last_success_at = coalesce(excluded.last_success_at, j.last_success_at), rows = coalesce($rows, j.rows)`,
});

/** Records a run that ended now. @param run.everyMs milliseconds between two runs of its schedule */
export async function recordRun(
  db: Queryable,
  run: { name: string; startedAt: Date; everyMs: number } & ({ rows: number } | { error: string }),
): Promise<void> {
  await RECORD_RUN.run(db, {
    name: run.name,
    startedAt: run.startedAt,
    rows: "rows" in run ? run.rows : null,
    error: "error" in run ? run.error : null,
    everyMs: run.everyMs,
  });
}
