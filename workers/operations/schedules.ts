/**
 * Runs scheduled jobs when they are due. The database has the times and its clock decides, so that any number of processes
 * share the runs, and one look finds all that are due.
 */
import { type ErrorCode, Failure } from "../../core/errors.ts";
import {
  claimRuns,
  JOBS_CHANNEL,
  RUN_FAILED,
  type RunOutcome,
  recordRuns,
  renewRuns,
  runSoon,
} from "../../db/operations/job-runs.ts";
import { notifications } from "../../db/sql/notifications.ts";
import { isNoIndex } from "../../db/sql/transaction.ts";
import type { JobContext } from "../context.ts";
import type { Job } from "../job.ts";
import { runLoop } from "../loop.ts";

type ScheduledJob = Job & Required<Pick<Job, "schedule">>;

/** Max milliseconds between two looks for what is due: finds the runs of a process that died. */
const LOOK_MS = 30_000;
/** Milliseconds without an announcement of work after which jobs are at rest. */
const REST_AFTER_MS = 60_000;
/** Min milliseconds between two runs then: of jobs that read payments, and of all others. */
const [PAYMENTS_REST_MS, REST_MS] = [60_000, 120_000];
/** Max milliseconds by which a run comes early at rest, to be claimed with others. */
const EARLY_MS = PAYMENTS_REST_MS / 2;
/** Milliseconds in which the outcomes of runs at rest are collected, to be recorded together. */
const COLLECT_MS = 1_000;
/** Milliseconds between two renewals of the runs under way. */
const RENEW_MS = 10_000;
/** Milliseconds until a failed run is repeated, doubled with each failure; after the fifth the schedule repeats it. */
const RETRY_MS = 1_000;
const RETRIES = 4;

export type Schedules = {
  /** Begins no further run, and resolves when those under way are finished, or after `graceMs`. */
  stop(graceMs: number): Promise<void>;
};

/** @param run runs a job once, within its concurrency; throws what the job throws */
export function runSchedules(
  { db, log }: Pick<JobContext, "db" | "log">,
  jobs: readonly Job[],
  run: (job: Job) => Promise<number>,
): Schedules {
  const scheduled = jobs.filter((job): job is ScheduledJob => job.schedule !== undefined);
  const running = new Map<string, Promise<void>>();
  const outcomeOf = outcomes(run, log);
  /** When a job is due next, and when work was announced last, as `performance.now()`. */
  let lookAt = 0;
  let workedAt = performance.now();
  const isAtRest = () => performance.now() - workedAt > REST_AFTER_MS;
  const paceOf = ({ everyMs, readsPayments }: ScheduledJob["schedule"]) =>
    isAtRest()
      ? { everyMs: Math.max(everyMs, readsPayments ? PAYMENTS_REST_MS : REST_MS), earlyMs: EARLY_MS }
      : { everyMs, earlyMs: 0 };
  const lookIn = (ms: number) => {
    lookAt = Math.min(lookAt, performance.now() + ms);
    loop.latch.notify();
  };

  const recorder = recordTogether({ db, log }, isAtRest, (names, nextMs) => {
    for (const name of names) running.delete(name);
    if (nextMs !== undefined) lookIn(nextMs);
  });
  const perform = async (job: Job) => {
    const outcome = await outcomeOf(job);
    if (job.followedBy && "rows" in outcome && outcome.rows > 0)
      await runSoon(db, job.followedBy).catch((err) => log.warn({ err, job: job.name }, "what follows it runs later"));
    await recorder.add(job.name, outcome);
  };

  const failure = "it could not be read which jobs are due; the next look repeats it";
  const loop = runLoop({ db, log }, { channels: [], timerMs: LOOK_MS, failure }, async ({ stopping }) => {
    const waiting = scheduled.filter(({ name }) => !running.has(name));
    if (performance.now() >= lookAt && waiting.length > 0 && !stopping) {
      lookAt = Number.POSITIVE_INFINITY;
      const { names, nextMs } = await claimRuns(
        db,
        waiting.map(({ name, schedule }) => ({ name, ...paceOf(schedule) })),
      ).catch((error) => {
        lookAt = 0;
        throw error;
      });
      for (const job of waiting) if (names.includes(job.name)) running.set(job.name, perform(job));
      lookAt = Math.min(lookAt, performance.now() + (nextMs ?? LOOK_MS));
    }
    return Math.max(0, lookAt - performance.now());
  });
  const renewing = setInterval(() => {
    if (running.size > 0)
      renewRuns(db, { names: [...running.keys()] }).catch((error) =>
        log.warn({ err: error }, "runs could not be renewed"),
      );
  }, RENEW_MS).unref();
  const unsubscribe = notifications(db).on(JOBS_CHANNEL, () => {
    workedAt = performance.now();
    void recorder.record();
    lookIn(0);
  });
  return {
    async stop(graceMs) {
      unsubscribe();
      await loop.stop();
      const all = Promise.all(running.values());
      await Promise.race([all, new Promise((over) => setTimeout(over, graceMs).unref())]);
      await recorder.record();
      clearInterval(renewing);
    },
  };
}

/** Records how runs went: at rest those that end within a second together. */
function recordTogether(
  { db, log }: Pick<JobContext, "db" | "log">,
  isAtRest: () => boolean,
  recorded: (names: readonly string[], nextMs: number | undefined) => void,
) {
  const ended = new Map<string, RunOutcome>();
  let collecting: NodeJS.Timeout | undefined;

  async function record(): Promise<void> {
    clearTimeout(collecting);
    collecting = undefined;
    const outcomes = new Map(ended);
    ended.clear();
    if (outcomes.size === 0) return;
    const jobs = [...outcomes.keys()];
    const nextMs = await recordRuns(db, outcomes).catch((error) => {
      log.warn({ err: error, jobs }, "the outcomes of runs could not be recorded; they are repeated");
      return undefined;
    });
    recorded(jobs, nextMs);
  }

  return {
    record,
    async add(job: string, outcome: RunOutcome): Promise<void> {
      ended.set(job, outcome);
      if (isAtRest()) collecting ??= setTimeout(record, COLLECT_MS);
      else await record();
    },
  };
}

/** Runs a job and tells the outcome to record, with when a failed run is repeated. */
function outcomes(run: (job: Job) => Promise<number>, log: JobContext["log"]): (job: Job) => Promise<RunOutcome> {
  const failures = new Map<string, number>();
  return async (job) => {
    try {
      const rows = await run(job);
      failures.delete(job.name);
      return { rows };
    } catch (error) {
      // Before the first index there is nothing to do; this is no failure.
      if (isNoIndex(error)) return { rows: 0 };
      // An upstream that is away, or a database that is busy, is no defect of the service; the next scheduled run repeats the job.
      if (isUnavailable(error)) {
        log.warn({ job: job.name, err: error.cause }, error.message);
        return { error: error.message, retryMs: null };
      }
      const attempt = (failures.get(job.name) ?? 0) + 1;
      failures.set(job.name, attempt);
      log.error({ err: error, job: job.name, attempt }, "job failed");
      return { error: RUN_FAILED, retryMs: attempt > RETRIES ? null : RETRY_MS * 2 ** (attempt - 1) };
    }
  };
}

const AWAY: ReadonlySet<ErrorCode> = new Set(["upstream_unavailable", "overloaded"]);
export const isUnavailable = (error: unknown): error is Failure => error instanceof Failure && AWAY.has(error.code);
