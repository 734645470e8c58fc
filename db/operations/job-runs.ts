/** The runs of scheduled jobs: which are due, which are under way, how the last one went; and when work of each job last moved. */
import { type JobMove, type StalledQueue, stalledQueues } from "../../core/operations/stalled-queues.ts";
import { jobRun } from "../schema/service.ts";
import { type Queryable, statement, t } from "../sql/statement.ts";
import { columnsOf } from "../sql/table-columns.ts";

/** NOTIFY channel: something was written that may be work for scheduled jobs. */
export const JOBS_CHANNEL = "jobs";

/** Seconds until the run of a process that died or hangs is due again; a process that lives renews it (`renewRuns`). */
const LEASE_SECONDS = 30;

/** When a run is due by its schedule; null while it is under way. */
const BY_SCHEDULE = (every: string) =>
  `case when j.running_until is null then least(j.next_run_at, j.last_started_at + ${every}) end`;

/**
 * Takes the runs that are due: each is then this process's, until it records the outcome or stops renewing.
 * Check then write: the run is due by the database's clock, then its row; another process may take it: the row's own
 * condition, one statement.
 * @param jobs milliseconds between two runs of each, and by how many it may come early, to run with another of which that
 * is said too; a job without a row has never run, and is due
 * @returns the names of the jobs to run now, and the milliseconds until the next of the others is due; null: unknown
 */
export const claimRuns = statement({
  name: "claim-job-runs",
  given: (jobs: readonly { name: string; everyMs: number; earlyMs: number }[]) => ({ jobs }),
  params: { jobs: t.records({ name: t.text, everyMs: t.float8, earlyMs: t.float8 }) },
  text: `
    with known as materialized (
      select d.*, coalesce(j.running_until, ${BY_SCHEDULE("d.every")}) as due_at, ${BY_SCHEDULE("d.every")} - d.early as joins_at
      from (select name, every_ms * interval '1 ms' as every, early_ms * interval '1 ms' as early from $jobs) d
      left join offchain.job_run j on j.name = d.name
    ), wanted as materialized (
      select name, every, early from known
      where due_at is null or due_at <= now()
        or (joins_at <= now() and exists (select from known one where one.early > interval '0' and one.due_at <= now()))
    ), claimed as (
      insert into offchain.job_run as j (name, last_started_at, next_run_at, running_until)
      select name, now(), now() + every, now() + interval '${LEASE_SECONDS} s' from wanted order by name
      on conflict (name) do update set last_started_at = now(), next_run_at = excluded.next_run_at,
        running_until = excluded.running_until
      where coalesce(j.running_until, ${BY_SCHEDULE("(excluded.next_run_at - now())")}
        - (select early from wanted where wanted.name = excluded.name)) <= now()
      returning name
    )
    select array(select name from claimed) as names,
           (select extract(epoch from min(due_at) - now()) * 1000 from known
            where due_at > now() and name not in (select name from wanted))::float8 as "nextMs"`,
  columns: { names: t.array(t.text), nextMs: t.nullable(t.float8) },
  prepared: true,
}).one;

/** What is recorded of a run that failed by a mistake of the service; of any other the error says what it needed. */
export const RUN_FAILED = "The run failed; the log says why.";

/** How a run went. `retryMs`: milliseconds until a failed run is repeated; null: by its schedule. */
export type RunOutcome = { rows: number } | { error: string; retryMs: number | null };

const RECORD_RUNS = statement({
  name: "record-job-runs",
  params: {
    runs: t.records({
      name: t.text,
      rows: t.nullable(t.int4),
      error: t.nullable(t.text),
      retryMs: t.nullable(t.float8),
    }),
  },
  text: `
    update offchain.job_run j set running_until = null, error = o.error, rows = coalesce(o.rows, j.rows),
      last_success_at = case when o.error is null then clock_timestamp() else last_success_at end,
      next_run_at = least(next_run_at, clock_timestamp() + o.retry_ms * interval '1 ms')
    from (select * from $runs) o where j.name = o.name
    returning (extract(epoch from next_run_at - clock_timestamp()) * 1000)::float8 as "nextMs"`,
  columns: { nextMs: t.float8 },
  prepared: true,
});

/**
 * Records how claimed runs went.
 * @returns the milliseconds until the first of the jobs is due again; undefined when all are forgotten
 */
export async function recordRuns(db: Queryable, runs: ReadonlyMap<string, RunOutcome>): Promise<number | undefined> {
  const all = [...runs].map(([name, outcome]) => ({ name, rows: null, error: null, retryMs: null, ...outcome }));
  const due = await RECORD_RUNS.rows(db, { runs: all });
  return due.length === 0 ? undefined : Math.min(...due.map(({ nextMs }) => nextMs));
}

/** Makes scheduled jobs due now, in whichever process runs them, and announces work to all; one under way runs again after it. */
export const runSoon = statement({
  name: "run-jobs-soon",
  given: (names: readonly string[]) => ({ names }),
  params: { names: t.array(t.text) },
  text: `
    with soon as (update offchain.job_run set next_run_at = now() where name = any($names::text[]) and next_run_at > now())
    select pg_notify('${JOBS_CHANNEL}', '')`,
  columns: { pg_notify: t.pgType<string>("void") },
}).rows;

const ANNOUNCE_WORK = statement({
  name: "announce-work",
  text: `select pg_notify('${JOBS_CHANNEL}', '')`,
  columns: { pg_notify: t.pgType<string>("void") },
});

/** Milliseconds between two announcements of a process: jobs keep their pace for longer than that. */
const ANNOUNCE_MS = 10_000;
let announcedAt = Number.NEGATIVE_INFINITY;

/** Says that there may be work for scheduled jobs. Nothing waits for it and it may fail: they find the work a minute later. */
export function announceWork(db: Queryable): void {
  if (performance.now() - announcedAt < ANNOUNCE_MS) return;
  announcedAt = performance.now();
  ANNOUNCE_WORK.rows(db).catch(() => {});
}

/** Keeps claimed runs: call it every ten seconds while they are under way. */
export const renewRuns = statement({
  name: "renew-job-runs",
  params: { names: t.array(t.text) },
  text: `
    update offchain.job_run set running_until = now() + interval '${LEASE_SECONDS} s'
    where name = any($names::text[]) and running_until is not null`,
}).run;

/** Records that work of these jobs moves now. */
export const recordMoves = statement({
  name: "record-job-moves",
  params: { names: t.array(t.text) },
  text: `
    insert into offchain.job_move (name, moved_at) select name, clock_timestamp() from unnest($names::text[]) name
    order by name on conflict (name) do update set moved_at = excluded.moved_at`,
}).run;

/** Forgets the runs of all jobs but these: a job that exists no more is never late. */
export const forgetOtherJobs = statement({
  name: "forget-jobs",
  params: { names: t.array(t.text) },
  text: `
    with moves as (delete from offchain.job_move where name <> all($names::text[]))
    delete from offchain.job_run where name <> all($names::text[])`,
}).run;

const MOVES = statement({
  name: "job-moves",
  text: `
    select coalesce(r.name, m.name) as name,
           extract(epoch from clock_timestamp() - r.next_run_at)::float8 as "overdueSeconds",
           extract(epoch from clock_timestamp() - m.moved_at)::float8 as "movedSeconds"
    from offchain.job_run r full join offchain.job_move m on m.name = r.name order by 1`,
  columns: { name: t.text, overdueSeconds: t.nullable(t.float8), movedSeconds: t.nullable(t.float8) },
  prepared: true,
});

/**
 * Queues on which work is due and nothing moves.
 * @param counts of the queues; where their store does not answer, only the schedules count
 * @throws the database's error
 */
export async function stalledJobs(
  db: Queryable,
  counts: () => Promise<{ name: string; oldestSeconds: number | null }[]>,
): Promise<StalledQueue[]> {
  const [moves, queues] = await Promise.all([MOVES.rows(db) as Promise<JobMove[]>, counts().catch(() => [])]);
  return stalledQueues(moves, queues);
}

const RUN = columnsOf(jobRun, { without: ["lastStartedAt", "runningUntil"] });
/**
 * The last run of each scheduled job, by name. `rows`: what the last successful one changed; `error`: why the last one
 * failed, one sentence.
 */
export const scheduledRuns = statement({
  name: "status-scheduled-runs",
  text: `select ${t.fieldsOf(RUN)} from offchain.job_run order by name`,
  columns: RUN,
  prepared: true,
}).rows;

const RUN_COUNTS = statement({
  name: "job-run-counts",
  params: { names: t.array(t.text) },
  text: `
    select d.name, (j.next_run_at <= now() and not coalesce(j.running_until > now(), false))::int as waiting,
           coalesce(j.running_until > now(), false)::int as active, coalesce(j.error = '${RUN_FAILED}', false)::int as failed,
           extract(epoch from now() - j.next_run_at)::int as "overdueSeconds"
    from unnest($names::text[]) with ordinality d(name, place) left join offchain.job_run j on j.name = d.name
    order by d.place`,
  columns: {
    name: t.text,
    waiting: t.nullable(t.int4),
    active: t.int4,
    failed: t.int4,
    overdueSeconds: t.nullable(t.int4),
  },
  prepared: true,
});

/** State of one job; `oldestSeconds` is for how long its oldest run that is due waits, null when none waits. */
export type JobCounts = { name: string; waiting: number; active: number; failed: number; oldestSeconds: number | null };

/**
 * The state of jobs: what is queued of each, and its scheduled run. A scheduled run has failed while the last one has.
 * @param names of all jobs there are, in the order of the answer
 * @param queued counts of the queues
 */
export async function jobCounts(
  db: Queryable,
  names: readonly string[],
  queued: () => Promise<JobCounts[]>,
): Promise<JobCounts[]> {
  const [runs, queues] = await Promise.all([RUN_COUNTS.rows(db, { names }), queued()]);
  const queueOf = new Map(queues.map((queue) => [queue.name, queue]));
  return runs.map(({ name, waiting, active, failed, overdueSeconds }) => {
    const queue = queueOf.get(name);
    const overdue = waiting ? overdueSeconds : null;
    return {
      name,
      waiting: (waiting ?? 0) + (queue?.waiting ?? 0),
      active: active + (queue?.active ?? 0),
      failed: failed + (queue?.failed ?? 0),
      oldestSeconds: queue?.oldestSeconds == null ? overdue : Math.max(queue.oldestSeconds, overdue ?? 0),
    };
  });
}
