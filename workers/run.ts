/** Starts and stops all work of the worker process. */
import pLimit from "p-limit";
import { runSoon } from "../db/operations/job-runs.ts";
import { isNoIndex } from "../db/sql/transaction.ts";
import { span } from "../runtime/tracing.ts";
import type { JobContext } from "./context.ts";
import { selfCheck } from "./cred/score.ts";
import { followDocuments } from "./discovery/search-documents.ts";
import { runDispatcher } from "./events/dispatcher.ts";
import { runEventLog } from "./events/event-log.ts";
import type { Job } from "./job.ts";
import { JOBS } from "./jobs.ts";
import { openJobMoves } from "./operations/job-moves.ts";
import { keepStorage } from "./operations/queue.ts";
import { isUnavailable, runSchedules } from "./operations/schedules.ts";
import { runSender } from "./transactions/sender.ts";
import { runWebhooks } from "./webhooks/deliver.ts";

/** Milliseconds that a running job has to finish when the process stops. */
const GRACE_MS = 9_000;
/** Milliseconds between two looks whether the queue has lost its storage. */
const STORAGE_MS = 30_000;

export type Workers = {
  /** Starts no further work and resolves when running work is finished, after at most ten seconds. */
  stop(): Promise<void>;
};

/**
 * Starts the jobs, the dispatcher, the event log's sequencer and, where there are keys for them, webhooks and the sender.
 * @param all jobs of all processes
 * @param elsewhere those that another process runs (`runReaders`)
 */
export async function runWorkers(
  context: JobContext,
  all: readonly Job[] = JOBS,
  elsewhere: readonly Job[] = [],
): Promise<Workers> {
  const { db, queue, log, signer } = context;
  const dispatcher = runDispatcher(context);
  const eventLog = runEventLog(context);
  const discovery = followDocuments(context);
  const webhooks = context.webhooks ? runWebhooks({ ...context, webhooks: context.webhooks }) : undefined;
  if (!webhooks) log.info("WEBHOOK_KEYS is not set: there are no webhooks");
  const lookAfterStorage = () =>
    keepStorage(queue, async () => {
      await dispatcher.requeue();
      await runSoon(db, [selfCheck.name]);
    });
  await lookAfterStorage();
  const running = runJobs(
    context,
    all.filter((job) => !elsewhere.includes(job)),
    all,
  );
  const sender = signer ? runSender({ ...context, signer }) : undefined;
  if (!signer) log.warn("DEPLOYER_PRIVATE_KEY is not set: no transaction is sent");

  let looking: Promise<void> | undefined;
  const storage = setInterval(() => {
    looking ??= lookAfterStorage()
      .catch((error) => log.warn({ err: error }, "the queue's storage could not be checked; the next check repeats it"))
      .finally(() => {
        looking = undefined;
      });
  }, STORAGE_MS);

  return {
    async stop() {
      clearInterval(storage);
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

/** The jobs that read untrusted content. */
export const READERS: readonly Job[] = JOBS.filter(({ readsUntrusted }) => readsUntrusted);

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
  const turns = new Map(jobs.map((job) => [job.name, pLimit(job.concurrency)]));
  const run = (job: Job, data: unknown) =>
    turns.get(job.name)!(() =>
      span(`job ${job.name}`, { kind: "consumer", root: true }, () =>
        moves.during(job.name, () => runJob(context, job, data)),
      ),
    );
  const schedules = runSchedules(context, jobs, (job) => run(job, {}));
  const workers = jobs
    .filter(({ queued }) => queued)
    .map((job) =>
      context.queue.work(job.name, job.concurrency, async (data) => {
        await run(job, data).catch((error) => {
          // What this run has missed the next scheduled one does.
          if (!job.schedule || !isAway(error)) throw error;
          context.log.warn({ job: job.name, err: error }, "a queued run has to wait for what it needs");
        });
      }),
    );
  return {
    async stop() {
      await Promise.all([moves.stop(), schedules.stop(GRACE_MS), ...workers.map((worker) => worker.stop(GRACE_MS))]);
    },
  };
}

/** Runs one job. @throws what the job throws */
async function runJob(context: JobContext, job: Job, data: unknown): Promise<number> {
  const { log, fault, meter } = context;
  const began = performance.now();
  const ran = (outcome: "done" | "failed" | "away") => meter?.ran(job.name, outcome, performance.now() - began);
  fault(`job.${job.name}`);
  try {
    const rows = await job.run(context, data);
    log.debug({ job: job.name, rows }, "job done");
    ran("done");
    return rows;
  } catch (error) {
    ran(job.schedule && isAway(error) ? "away" : "failed");
    throw error;
  }
}

/** There is no index yet, or what the job needs is away or busy: no defect of the service. */
const isAway = (error: unknown): boolean => isNoIndex(error) || isUnavailable(error);
