/** The queue: BullMQ on Postgres, or on Redis when there is one. The tables have the truth; the queue's content can be rebuilt from them. */
import { type Queue, UnrecoverableError, type Worker } from "bullmq";
import type { Logger } from "pino";
import { KEEP, onPostgres, onRedis, RETRIES, type Store, type StoreOptions } from "./queue-stores.ts";

/** State of one queue; `oldestSeconds` is the age of its oldest waiting job, null when none waits. */
export type QueueCounts = {
  name: string;
  waiting: number;
  active: number;
  failed: number;
  oldestSeconds: number | null;
};

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
  /**
   * Makes a job recur. An equal schedule that is alive is left alone, so that restarts move nothing. One whose next run is
   * late and queued nowhere is made again: a failover loses what the new primary had not received. So is one whose next run
   * is too far ahead and stays where it is: a worker with its clock ahead put it off.
   * @returns true when it did not exist: at the first start, or because the queue's storage was lost
   */
  schedule(name: string, everyMs: number, data: unknown): Promise<boolean>;
  /** State of every queue that this object has used, and of those named when it was opened. */
  counts(): Promise<QueueCounts[]>;
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
  /** Milliseconds that a recurring job may be late before its schedule counts as lost. */
  scheduleGraceMs?: number;
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

function queuesOn(
  store: Store,
  { log, names = [], scheduleGraceMs = SCHEDULE_GRACE_MS }: QueueOptions,
): Queues & Boards {
  const queues = new Map<string, Queue>();
  const workers = new Map<Worker, string>();
  const ahead: Ahead = new Map();
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
    schedule: (name, everyMs, data) =>
      scheduleJob(queueOf(name), name, { everyMs, data, graceMs: scheduleGraceMs, ahead }),
    boards: () => [...queues.values()],
    counts: () => Promise.all([...queues].map(([name, queue]) => countsOf(queue, name))),
    async close() {
      await Promise.all([...workers].map(([worker, name]) => stopWorker(worker, name, CLOSE_MS, log)));
      await Promise.all([...queues.values()].map((queue) => queue.close()));
      await store.close();
    },
  };
}

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
  const timer = AbortSignal.timeout(graceMs);
  const expired = new Promise<false>((done) => timer.addEventListener("abort", () => done(false)));
  if (await Promise.race([closed, expired])) return;
  log.warn({ queue: name }, "jobs still run; another worker will take them over");
  // Not awaited: while the store gives no answer, a forced close never ends.
  worker.close(true).catch(() => {});
}

/** Max milliseconds that a worker may finish its jobs when the queues are closed. A store that is away gives no answer. */
const CLOSE_MS = 10_000;

const SCHEDULE_GRACE_MS = 20_000;

/** Schedules whose next run is too far ahead, by their names: the run, and since when it is seen there, in milliseconds of a monotonic clock. */
type Ahead = Map<string, { next: number; since: number }>;

async function scheduleJob(
  queue: Queue,
  name: string,
  { everyMs, data, graceMs, ahead }: { everyMs: number; data: unknown; graceMs: number; ahead: Ahead },
): Promise<boolean> {
  const id = `every-${name}`;
  const known = await queue.getJobScheduler(id);
  const { next = Date.now() } = known ?? {};
  const isLost = next < Date.now() - graceMs && !(await isQueued(queue, id, next));
  const isAhead = isPutOff(ahead, name, next, { everyMs, graceMs });
  if (known && Number(known.every) === everyMs && !isLost && !isAhead) return false;
  if (isAhead) await queue.removeJobScheduler(id);
  await queue.upsertJobScheduler(id, { every: everyMs }, { name, data: data as object, opts: { ...RETRIES, ...KEEP } });
  return !known;
}

/**
 * Whether a worker whose clock was ahead set the next run, so that no worker would run the job until then. Where the clock of
 * this worker is behind, every schedule looks so, but the other workers run the jobs, and the next runs change.
 */
function isPutOff(ahead: Ahead, name: string, next: number, of: { everyMs: number; graceMs: number }): boolean {
  const longest = of.everyMs + of.graceMs;
  if (next <= Date.now() + longest) {
    ahead.delete(name);
    return false;
  }
  const now = performance.now();
  const seen = ahead.get(name);
  if (seen?.next === next) return now - seen.since > longest;
  ahead.set(name, { next, since: now });
  return false;
}

const QUEUED = new Set(["waiting", "prioritized", "delayed", "active"]);

/** Whether the run of a schedule at `next` waits for its time or a worker, or is under way. */
const isQueued = async (queue: Queue, id: string, next: number): Promise<boolean> =>
  QUEUED.has(await queue.getJobState(`repeat:${id}:${next}`));

async function countsOf(queue: Queue, name: string): Promise<QueueCounts> {
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
