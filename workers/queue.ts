/** The queue: BullMQ on Postgres, or on Redis when there is one. Truth is in the tables; whatever is here can be rebuilt. */
import { createPostgresBackend, Queue, runMigrations, UnrecoverableError, Worker, withBackend } from "bullmq";
import { Redis, type RedisOptions } from "ioredis";
import type { Logger } from "pino";
import { openClient, openPool } from "../db/connect.ts";

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

export type QueueWorker = {
  /** Takes no further jobs and resolves when those it has are finished, or after `graceMs`. */
  stop(graceMs: number): Promise<void>;
};

export type Queues = {
  /** Adds jobs to the queue `name`, all or none. */
  add(name: string, jobs: NewJob[]): Promise<void>;
  /** Works on a queue. A job whose handler throws is tried again, at most five times in all, then counts as failed. */
  work(name: string, concurrency: number, handle: (data: unknown) => Promise<void>): QueueWorker;
  /**
   * Makes a job recur. An equal schedule that is alive is left alone, so that restarts move nothing.
   * @returns true when it was not there: for the first time, or because the queue's storage was lost
   */
  schedule(name: string, everyMs: number, data: unknown): Promise<boolean>;
  /** State of every queue this object has touched, and of those named when it was opened. */
  counts(): Promise<QueueCounts[]>;
  close(): Promise<void>;
};

/** The queues as BullMQ knows them, for the operators' board. */
export type Boards = { boards(): Queue[] };

export type QueueOptions = {
  databaseUrl: string;
  redisUrl?: string | undefined;
  /** Keeps deployments on one Redis or database apart. */
  prefix: string;
  log: Logger;
  /** Queues that `counts` tells about from the start. */
  names?: readonly string[];
  /** How long a connection to Postgres may take, milliseconds: short where somebody waits for an answer. */
  connectMs?: number | undefined;
};

/** A job that can never succeed is not tried again. */
export class HopelessJob extends UnrecoverableError {}

const RETRIES = { attempts: 5, backoff: { type: "exponential", delay: 1_000 } } as const;
/** Finished jobs are kept for a while: their ids keep a repeated add from running twice. */
const KEEP = {
  removeOnComplete: { count: 2_000, age: 86_400 },
  removeOnFail: { count: 5_000, age: 7 * 86_400 },
} as const;
/** A job of a killed worker is taken up again within lock plus check, at most 25 s; a store that was away is asked again after 3 s. */
const RECOVERY = { lockDuration: 15_000, stalledInterval: 10_000, maxStalledCount: 5, runRetryDelay: 3_000 } as const;

/**
 * Connects and, on Postgres, brings the queue's own schema up to date. While the store is away, whatever is asked of the
 * queues fails, and the first thing asked after its return connects.
 * @throws the error of a database that will never let this role in: a wrong password, no such database, no right
 */
export async function openQueues(options: QueueOptions): Promise<Queues & Boards> {
  return wrap(options.redisUrl ? onRedis(options, options.redisUrl) : await onPostgres(options), options);
}

/** What differs between the two stores. */
type Store = {
  queue(name: string): Queue;
  worker(name: string, concurrency: number, handle: (data: unknown) => Promise<void>): Worker;
  close(): Promise<void>;
};

function onRedis({ prefix, log }: QueueOptions, url: string): Store {
  const connect = (options: RedisOptions) => {
    const connection = new Redis(url, options);
    connection.on("error", (error) => log.warn({ err: error }, "the queue's Redis is not reachable"));
    return connection;
  };
  // Who adds or asks gets an error within seconds when Redis is away; workers wait for it, as BullMQ demands of them.
  const asking = connect({ maxRetriesPerRequest: 2, commandTimeout: 5_000 });
  const working = connect({ maxRetriesPerRequest: null });
  return {
    queue: (name) => new Queue(name, { connection: asking, prefix, defaultJobOptions: { ...RETRIES, ...KEEP } }),
    worker: (name, concurrency, handle) =>
      new Worker(name, (job) => handle(job.data), { connection: working, prefix, concurrency, ...RECOVERY }),
    async close() {
      asking.disconnect();
      working.disconnect();
    },
  };
}

/** The schema BullMQ names its own when it is given a pool. */
const SCHEMA = "bullmq";

/** Max milliseconds of one statement: a connection that went dead without a word must not be waited on for ever. */
const QUERY_MS = 30_000;

/** SQLSTATE classes of what waiting does not mend: authorization, no such database, no right to the schema. */
const FOR_GOOD = /^(28|3D|42)/;

async function onPostgres({ databaseUrl, prefix, log, connectMs = 5_000 }: QueueOptions): Promise<Store> {
  const migrated = untilItSucceeds(() => migrateQueue(databaseUrl, connectMs));
  await migrated().catch((error: Error & { code?: string }) => {
    if (FOR_GOOD.test(error.code ?? "")) throw error;
    log.warn({ err: error }, "the queue's database does not let anybody in; tried again whenever the queue is used");
  });
  // One pool for all queues: each worker keeps one connection to listen on, the rest is shared.
  const pool = openPool({
    connectionString: databaseUrl,
    application_name: "queue",
    options: `-c search_path=${SCHEMA}`,
    max: 40,
    keepAlive: true,
    connectionTimeoutMillis: connectMs,
    query_timeout: QUERY_MS,
  });
  // Every queue listens to the pool they share.
  pool.setMaxListeners(0);
  pool.on("error", (error) => log.warn({ err: error }, "a connection of the queue was lost"));
  const bull = withBackend(reconnecting(migrated));
  // The schema is shared; the prefix goes into the name. Its queues are of the same type as those on Redis.
  const inner = (name: string) => `${prefix}-${name}`;
  return {
    queue: (name) =>
      new bull.Queue(inner(name), { connection: pool, defaultJobOptions: { ...RETRIES, ...KEEP } }) as unknown as Queue,
    worker: (name, concurrency, handle) =>
      new bull.Worker(inner(name), (job) => handle(job.data), {
        connection: pool,
        concurrency,
        ...RECOVERY,
      }) as unknown as Worker,
    close: () => pool.end(),
  };
}

/** Runs `work` once for all who ask, and again for who asks after it failed. */
function untilItSucceeds(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => {
    if (running) return running;
    const attempt = work();
    running = attempt;
    attempt.catch(() => {
      running = undefined;
    });
    return attempt;
  };
}

/** What of BullMQ's connection and backend is reached into; look at it with every new version. */
type Readiness = { readyPromise?: Promise<void> | undefined; waitUntilReady(): Promise<void> };

/**
 * BullMQ's backend on Postgres, which connects again after a failure. By itself it keeps the outcome of its first
 * connection for good, so that one that failed at the start is a failure until the process ends.
 * @param migrated resolves once the schema is there
 */
const reconnecting =
  (migrated: () => Promise<void>): typeof createPostgresBackend =>
  (name, options, more) => {
    const backend = createPostgresBackend(name, options, more);
    const { connection } = backend as unknown as { connection: Readiness };
    for (const part of [connection, backend as unknown as Readiness]) {
      const ready = part.waitUntilReady.bind(part);
      part.waitUntilReady = async () => {
        await migrated();
        const answer = ready();
        const kept = part.readyPromise;
        return answer.catch((error) => {
          if (part.readyPromise === kept) part.readyPromise = undefined;
          throw error;
        });
      };
    }
    return backend;
  };

/** Creates or updates BullMQ's schema; asks first, because a role that may not create schemas may well use one. */
async function migrateQueue(databaseUrl: string, connectMs: number): Promise<void> {
  const client = openClient({
    connectionString: databaseUrl,
    application_name: "queue",
    options: "-c client_min_messages=warning",
    connectionTimeoutMillis: connectMs,
    query_timeout: QUERY_MS,
  });
  // A lost connection shows in the statement under way; without a listener it would end the process.
  client.on("error", () => {});
  try {
    await client.connect();
  } catch (error) {
    client.end().catch(() => {});
    throw error;
  }
  try {
    await runMigrations(client, SCHEMA);
  } catch (error) {
    const there = await client.query("select to_regclass($1) is not null as there", [`${SCHEMA}.migration`]);
    if (!there.rows[0].there) throw error;
  } finally {
    await client.end();
  }
}

function wrap(store: Store, { log, names = [] }: QueueOptions): Queues & Boards {
  const queues = new Map<string, Queue>();
  const workers = new Set<Worker>();
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
      if (jobs.length === 0) return;
      await queueOf(name).addBulk(
        jobs.map(({ jobId, data }) => {
          if (jobId !== undefined && /^\d+$|:/.test(jobId)) throw new Error(`"${jobId}" cannot be a job id`);
          return { name, data, opts: jobId === undefined ? {} : { jobId } };
        }),
      );
    },

    work(name, concurrency, handle) {
      queueOf(name);
      const worker = store.worker(name, concurrency, handle);
      worker.on("error", (error) => log.warn({ err: error, queue: name }, "worker error"));
      worker.on("failed", (job, error) =>
        log.error({ err: error, queue: name, job: job?.id, attempt: job?.attemptsMade }, "job failed"),
      );
      worker.on("stalled", (jobId) => log.warn({ queue: name, job: jobId }, "job taken over from a lost worker"));
      workers.add(worker);
      return {
        async stop(graceMs) {
          const closed = worker.close().then(() => true);
          const timer = AbortSignal.timeout(graceMs);
          const expired = new Promise<false>((done) => timer.addEventListener("abort", () => done(false)));
          if (!(await Promise.race([closed, expired]))) {
            log.warn({ queue: name }, "jobs still run; another worker will take them over");
            // Not waited for: it never ends while the store says nothing.
            worker.close(true).catch(() => {});
          }
          workers.delete(worker);
        },
      };
    },

    async schedule(name, everyMs, data) {
      const queue = queueOf(name);
      const id = `every-${name}`;
      const known = await queue.getJobScheduler(id);
      const overdue = known?.next !== undefined && known.next < Date.now() - everyMs - SCHEDULE_GRACE_MS;
      if (known && Number(known.every) === everyMs && !overdue) return false;
      await queue.upsertJobScheduler(
        id,
        { every: everyMs },
        { name, data: data as object, opts: { ...RETRIES, ...KEEP } },
      );
      return !known;
    },

    boards: () => [...queues.values()],

    counts: () =>
      Promise.all(
        [...queues].map(async ([name, queue]) => {
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
        }),
      ),

    async close() {
      await Promise.all([...workers].map((worker) => worker.close()));
      await Promise.all([...queues.values()].map((queue) => queue.close()));
      await store.close();
    },
  };
}

/** A recurring job this late was lost with the storage that held it. */
const SCHEDULE_GRACE_MS = 60_000;
