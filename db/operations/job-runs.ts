/** The last run of each scheduled job with its result, and when work of each job last moved. */
import { type JobMove, type StandingQueue, standingQueues } from "../../core/operations/standing-queues.ts";
import { array, float8, int4, nullable, statement, text, timestamptz } from "../sql/statement.ts";
import type { Queryable } from "../sql/transaction.ts";

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

const RECORD_MOVES = statement({
  name: "record-job-moves",
  params: { names: array(text) },
  text: `
    insert into offchain.job_move (name, moved_at) select name, clock_timestamp() from unnest($names::text[]) name
    order by name on conflict (name) do update set moved_at = excluded.moved_at`,
});

/** Records that work of these jobs moves now. */
export const recordMoves = (db: Queryable, names: readonly string[]) => RECORD_MOVES.run(db, { names: [...names] });

const FORGET_JOBS = statement({
  name: "forget-jobs",
  params: { names: array(text) },
  text: `
    with moves as (delete from offchain.job_move where name <> all($names::text[]))
    delete from offchain.job_run where name <> all($names::text[])`,
});

/** Forgets the runs of all jobs but these: a job that exists no more is never late. */
export const forgetOtherJobs = (db: Queryable, names: readonly string[]) => FORGET_JOBS.run(db, { names: [...names] });

const MOVES = statement({
  name: "job-moves",
  text: `
    select coalesce(r.name, m.name) as name,
           extract(epoch from clock_timestamp() - r.next_run_at)::float8 as "overdueSeconds",
           extract(epoch from clock_timestamp() - m.moved_at)::float8 as "movedSeconds"
    from offchain.job_run r full join offchain.job_move m on m.name = r.name order by 1`,
  columns: { name: text, overdueSeconds: nullable(float8), movedSeconds: nullable(float8) },
  prepared: true,
});

/**
 * Queues on which work is due and nothing moves.
 * @param counts of the queues; where their store does not answer, only the schedules count
 * @throws the database's error
 */
export async function standingJobs(
  db: Queryable,
  counts: () => Promise<{ name: string; oldestSeconds: number | null }[]>,
): Promise<StandingQueue[]> {
  const [moves, queues] = await Promise.all([MOVES.rows(db) as Promise<JobMove[]>, counts().catch(() => [])]);
  return standingQueues(moves, queues);
}
