/** Starts and stops all work of the worker process. */

import { type ErrorCode, Failure } from "../core/errors.ts";
import { recordRun } from "../db/operations/job-runs.ts";
import { isNoIndex } from "../db/sql/transaction.ts";
import { span } from "../runtime/tracing.ts";
import type { JobContext } from "./context.ts";
import { selfCheck } from "./cred/self-check.ts";
import { followDocuments } from "./discovery/search-documents.ts";
import { runDispatcher } from "./events/dispatcher.ts";
import { runEventLog } from "./events/event-log.ts";
import type { Job } from "./job.ts";
import { JOBS } from "./jobs.ts";
import { openJobMoves } from "./operations/job-moves.ts";
import { scheduleKeeper } from "./operations/schedules.ts";
import { runSender } from "./transactions/sender.ts";
import { runWebhooks } from "./webhooks/deliver.ts";

/** Milliseconds that a running job has to finish when the process stops. */
const GRACE_MS = 9_000;
/** Milliseconds between two checks of the schedules: a queue that lost its storage has lost them too. */
const SCHEDULES_MS = 10_000;

export type Workers = {
  /** Starts no further work and resolves when running work is finished, after at most ten seconds. */
  stop(): Promise<void>;
};

/**
 * Starts the jobs, the dispatcher, the event log's sequencer and, where there are keys for them, webhooks and the sender.
 * @param elsewhere jobs that another process runs (`runReaders`); their schedules are kept here
 */
export async function runWorkers(
  context: JobContext,
  jobs: readonly Job[] = JOBS,
  elsewhere: readonly Job[] = [],
): Promise<Workers> {
  const { queue, log, signer } = context;
  const dispatcher = runDispatcher(context);
  const eventLog = runEventLog(context);
  const discovery = followDocuments(context);
  const webhooks = context.webhooks ? runWebhooks({ ...context, webhooks: context.webhooks }) : undefined;
  if (!webhooks) log.info("WEBHOOK_KEYS is not set: there are no webhooks");
  /**
   * Check then write: the schedule is there, then upsert and requeue; another process may do it: equal ids, and
   * requeueing is repeatable.
   */
  const lookAfterSchedules = scheduleKeeper(queue, jobs, async () => {
    await dispatcher.requeue();
    await queue.add(selfCheck.name, [{ data: {} }]);
  });
  await lookAfterSchedules();
  const running = runJobs(
    context,
    jobs.filter((job) => !elsewhere.includes(job)),
    jobs,
  );
  const sender = signer ? runSender({ ...context, signer }) : undefined;
  if (!signer) log.warn("DEPLOYER_PRIVATE_KEY is not set: no transaction is sent");

  let looking: Promise<void> | undefined;
  const schedules = setInterval(() => {
    looking ??= lookAfterSchedules()
      .catch((error) => log.warn({ err: error }, "the schedules could not be checked; the next check repeats it"))
      .finally(() => {
        looking = undefined;
      });
  }, SCHEDULES_MS);

  return {
    async stop() {
      clearInterval(schedules);
      await Promise.all([
        looking,
        dispatcher.stop(),
        eventLog.stop(),
        discovery.stop(),
        webhooks?.stop(),
        sender?.stop(),
        running.stop(),
      ]);
    },
  };
}

const AWAY = new Set<ErrorCode>(["upstream_unavailable", "overloaded"]);

/** The jobs that read what strangers have written. */
export const READERS: readonly Job[] = JOBS.filter(({ readsStrangers }) => readsStrangers);

/** Starts the jobs of the process of readers and nothing else: it signs, sends and delivers nothing. */
export const runReaders = (context: JobContext, jobs: readonly Job[] = READERS): Workers =>
  runJobs(context, jobs, JOBS);

/** @param all jobs of all processes */
function runJobs(context: JobContext, jobs: readonly Job[], all: readonly Job[]): Workers {
  const moves = openJobMoves(
    context.db,
    all.map(({ name }) => name),
    context.log,
  );
  const workers = jobs.map((job) =>
    context.queue.work(job.name, job.concurrency, (data) =>
      span(`job ${job.name}`, { kind: "consumer", root: true }, () =>
        moves.during(job.name, () => runJob(context, job, data)),
      ),
    ),
  );
  return {
    async stop() {
      await Promise.all([moves.stop(), ...workers.map((worker) => worker.stop(GRACE_MS))]);
    },
  };
}

/** Runs one job and, when it is a scheduled one, records its outcome. */
async function runJob(context: JobContext, job: Job, data: unknown): Promise<void> {
  const { db, clock, log, fault, meter } = context;
  const startedAt = clock();
  const began = performance.now();
  const ran = (outcome: "done" | "failed" | "away") => meter?.ran(job.name, outcome, performance.now() - began);
  const record = async (outcome: { rows: number } | { error: string }) => {
    if (job.schedule) await recordRun(db, { name: job.name, startedAt, everyMs: job.schedule.everyMs, ...outcome });
  };
  fault(`job.${job.name}`);
  try {
    const rows = await job.run(context, data);
    log.debug({ job: job.name, rows }, "job done");
    await record({ rows });
    ran("done");
  } catch (error) {
    // Before the first index there is nothing to do; this is no failure.
    if (isNoIndex(error) && job.schedule) {
      ran("away");
      return record({ rows: 0 });
    }
    // An upstream that is away, or a database that is busy, is no defect of the service; the next scheduled run repeats the job.
    if (job.schedule && error instanceof Failure && AWAY.has(error.code)) {
      ran("away");
      log.warn({ job: job.name, err: error.cause }, error.message);
      return record({ error: error.message });
    }
    ran("failed");
    await record({ error: "The run failed; the log says why." }).catch(() => {});
    throw error;
  }
}
