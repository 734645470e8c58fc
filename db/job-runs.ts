/** Remembers when each scheduled job last ran, and how it went. */
import type { Queryable } from "./transaction.ts";

/** Records a run that ended now. @param run.everyMs interval of its schedule */
export async function recordRun(
  db: Queryable,
  run: { name: string; startedAt: Date; everyMs: number } & ({ rows: number } | { error: string }),
): Promise<void> {
  const rows = "rows" in run ? run.rows : null;
  const error = "error" in run ? run.error : null;
  await db.query(
    `insert into offchain.job_run as j (name, last_started_at, last_success_at, next_run_at, rows, error)
     values ($1, $2, case when $4::text is null then clock_timestamp() end, $2::timestamptz + $5 * interval '1 ms', $3, $4)
     on conflict (name) do update set last_started_at = $2, next_run_at = excluded.next_run_at, error = $4,
       last_success_at = coalesce(excluded.last_success_at, j.last_success_at), rows = coalesce($3, j.rows)`,
    [run.name, run.startedAt, rows, error, run.everyMs],
  );
}
