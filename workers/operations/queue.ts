/**
 * The queues: BullMQ on Postgres, or on Redis when there is one. The tables have the truth; what is queued can be rebuilt
 * from them. Only jobs that events queue have a queue (workers/operations/schedules.ts runs what is scheduled), each one of
 * its own: BullMQ hands out the first job of a queue whatever its name, so that in a shared one a backlog of one job, or one
 * that takes long, would hold up the others. A queue costs nothing while it is empty.
 */
import { type Queue, UnrecoverableError, type Worker } from "bullmq";
import type { Logger } from "pino";
import type { JobCounts } from "../../db/operations/job-runs.ts";
import { inTime } from "../../runtime/in-time.ts";
import { onPostgres, onRedis, type Store, type StoreOptions } from "./queue-stores.ts";

/** A job to add. The same `jobId` again is the same job; it is no number and has no colon. */
export type NewJob = { jobId?: string; data: unknown };

type QueueWorker = {
  /** Starts no further jobs and resolves when the running ones are finished, or after `graceMs`. */
  stop(graceMs: number): Promise<void>;
};

export type Queues = {
  /** Adds jobs to the queue `name`, all or none. */
  add(name: string, jobs: NewJob[]): Promise<void>;
  /** Starts a worker on a queue. A job whose handler throws is tried at most five times in total, then counts as failed. */
  work(name: string, concurrency: number, handle: (data: unknown) => Promise<void>): QueueWorker;
  /** Whether the storage has the mark of `mark`: without it the storage is new, and what was queued is lost. */
  isMarked(): Promise<boolean>;
  mark(): Promise<void>;
  /** State of every queue that this object has used, and of those named when it was opened. */
  counts(): Promise<JobCounts[]>;
  /** Stops the workers, at most 10 s each, then the connections; it ends while the store is away too. */
  close(): Promise<void>;
};

/** The queues as BullMQ knows them, for the operators' board. */
export type Boards = { boards(): Queue[] };

export type QueueOptions = StoreOptions & {
  databaseUrl: string;
  redisUrl?: string | undefined;
  /** Queues that `counts` includes from the start. */
  names?: readonly string[];
};

/** A job that can never succeed is not tried again. */
export class HopelessJob extends UnrecoverableError {}

/**
 * Connects and, on Postgres, brings the queue's own schema up to date. While the store is away, every call of the queues
 * fails, and the first call after its return connects.
 * Resumes: with the same input: five attempts, then the job failed and is shown; the next schedule or `reconcile`
 * heals.
 * @throws the database's error when it refuses this role permanently: wrong password, no such database, no right
 */
export async function openQueues(options: QueueOptions): Promise<Queues & Boards> {
  const { databaseUrl, redisUrl } = options;
  return queuesOn(redisUrl ? onRedis(options, redisUrl) : await onPostgres(options, databaseUrl), options);
}

/**
 * Queues everything again where the storage is new, and marks it.
 * Check then write: the storage has no mark, then requeue and mark; another process may do it: equal ids, and requeueing
 * is repeatable.
 */
export async function keepStorage(
  queues: Pick<Queues, "isMarked" | "mark">,
  requeue: () => Promise<void>,
): Promise<void> {
  if (await queues.isMarked()) return;
  await requeue();
  await queues.mark();
}

function queuesOn(store: Store, { log, names = [] }: QueueOptions): Queues & Boards {
  const queues = new Map<string, Queue>();
  const workers = new Map<Worker, string>();
  const storage = store.queue(STORAGE);
  /** Check then write: no queue of the name is open, then it is kept; no await. */
  const queueOf = (name: string): Queue => {
    let queue = queues.get(name);
    if (!queue) {
      queue = store.queue(name);
      queue.on("error", (error) => log.warn({ err: error, queue: name }, "queue error"));
      queues.set(name, queue);
    }
    return queue;
  };
  for (const name of names) queueOf(name);
  storage.on("error", (error) => log.warn({ err: error }, "queue error"));

  return {
    async add(name, jobs) {
      if (jobs.length > 0) await queueOf(name).addBulk(jobs.map((job) => bulkJob(name, job)));
    },
    work(name, concurrency, handle) {
      queueOf(name);
      const worker = startWorker(store, name, concurrency, handle, log);
      workers.set(worker, name);
      return {
        async stop(graceMs) {
          await stopWorker(worker, name, graceMs, log);
          workers.delete(worker);
        },
      };
    },
    isMarked: async () => (await storage.getJobState(STORAGE)) !== "unknown",
    async mark() {
      await storage.add(STORAGE, {}, { jobId: STORAGE });
    },
    boards: () => [...queues.values()],
    counts: () => Promise.all([...queues].map(([name, queue]) => countsOf(queue, name))),
    async close() {
      await Promise.all([...workers].map(([worker, name]) => stopWorker(worker, name, CLOSE_MS, log)));
      await Promise.all([storage, ...queues.values()].map((queue) => queue.close()));
      await store.close();
    },
  };
}

/** The queue that no worker works, and the job in it that marks a storage as known. */
const STORAGE = "storage";

function bulkJob(name: string, { jobId, data }: NewJob) {
  if (jobId !== undefined && /^\d+$|:/.test(jobId)) throw new Error(`"${jobId}" cannot be a job id`);
  return { name, data, opts: jobId === undefined ? {} : { jobId } };
}

function startWorker(
  store: Store,
  name: string,
  concurrency: number,
  handle: (data: unknown) => Promise<void>,
  log: Logger,
): Worker {
  const worker = store.worker(name, concurrency, handle);
  worker.on("error", (error) => log.warn({ err: error, queue: name }, "worker error"));
  worker.on("failed", (job, error) =>
    log.error({ err: error, queue: name, job: job?.id, attempt: job?.attemptsMade }, "job failed"),
  );
  worker.on("stalled", (jobId) => log.warn({ queue: name, job: jobId }, "job taken over from a lost worker"));
  return worker;
}

async function stopWorker(worker: Worker, name: string, graceMs: number, log: Logger): Promise<void> {
  const closed = worker.close().then(() => true);
  closed.catch((err) => log.warn({ err, queue: name }, "the queue's worker did not close"));
  if (await inTime(closed, graceMs, () => false)) return;
  log.warn({ queue: name }, "jobs still run; another worker will take them over");
  // Not awaited: while the store gives no answer, a forced close never ends.
  worker.close(true).catch(() => {});
}

/** Max milliseconds that a worker may finish its jobs when the queues are closed. A store that is away gives no answer. */
const CLOSE_MS = 10_000;

async function countsOf(queue: Queue, name: string): Promise<JobCounts> {
  const counts = await queue.getJobCounts("waiting", "prioritized", "active", "failed");
  const waiting = (counts.waiting ?? 0) + (counts.prioritized ?? 0);
  const [oldest] = waiting > 0 ? await queue.getJobs(["waiting"], 0, 0, true) : [];
  return {
    name,
    waiting,
    active: counts.active ?? 0,
    failed: counts.failed ?? 0,
    oldestSeconds: oldest ? Math.max(0, Math.round((Date.now() - oldest.timestamp) / 1000)) : null,
  };
}
