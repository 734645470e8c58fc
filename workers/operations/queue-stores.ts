/** The stores of the queue: BullMQ on Redis, and BullMQ on Postgres, which connects again after a failure. */
import { EventEmitter } from "node:events";
import type { Duplex } from "node:stream";
import { createPostgresBackend, Queue, runMigrations, Worker, withBackend } from "bullmq";
import type { Redis, RedisOptions } from "ioredis";
import type { Logger } from "pino";
import { bool, text } from "../../db/sql/columns.ts";
import { openClient, openPool } from "../../db/sql/connect.ts";
import { type Notifications, notifications } from "../../db/sql/notifications.ts";
import { statement } from "../../db/sql/statement.ts";
import { untilItSucceeds } from "../../runtime/once.ts";
import { isReplica, openRedis, type RedisConnection } from "../../runtime/redis.ts";

export type StoreOptions = {
  /** Separates the deployments on one Redis or database. */
  prefix: string;
  log: Logger;
  /** Max milliseconds of connecting to Postgres: short in a process whose clients wait for an answer. */
  connectMs?: number | undefined;
  /** The process's notifications of the database; absent: a connection of the queues' own listens. */
  listen?: Notifications | undefined;
  /** Milliseconds between two looks whether the Redis is still the primary. */
  watchMs?: number | undefined;
};

const RETRIES = { attempts: 5, backoff: { type: "exponential", delay: 1_000 } } as const;
/** Finished jobs that the store keeps: their ids keep a repeated add from running twice. */
const KEEP = {
  removeOnComplete: { count: 2_000, age: 86_400 },
  removeOnFail: { count: 5_000, age: 7 * 86_400 },
} as const;
/** Another worker takes over the job of a killed worker within two checks, 40 s; a lost store is tried again after 3 s. */
const RECOVERY = { lockDuration: 15_000, stalledInterval: 20_000, maxStalledCount: 5, runRetryDelay: 3_000 } as const;

/** The part of the queue that differs between Redis and Postgres. */
export type Store = {
  queue(name: string): Queue;
  worker(name: string, concurrency: number, handle: (data: unknown) => Promise<void>): Worker;
  close(): Promise<void>;
};

/** Milliseconds between two looks whether the Redis is still the primary: reads and waiting workers would not notice. */
const WATCH_MS = 10_000;

export function onRedis({ prefix, log, watchMs = WATCH_MS }: StoreOptions, url: string): Store {
  const clients = new Set<Redis>();
  const connect = (options: RedisConnection) => endingClient(openRedis(url, options), clients, log);
  // While Redis is away, adding and reading fail within seconds; BullMQ requires that workers wait for it.
  const asking = connect({ maxRetriesPerRequest: 2, commandTimeout: 5_000, socketTimeout: 5_000 });
  // BullMQ's workers block for ten seconds at most.
  const working = connect({ maxRetriesPerRequest: null, socketTimeout: 20_000 });
  const leaveReplica = async () => {
    if (!(await isReplica(asking))) return;
    log.warn("the queue's Redis is a replica now; it is looked up again");
    for (const client of clients) client.disconnect(true);
  };
  // A failed connection needs nothing here: the client logs it and connects again by itself.
  const watch = setInterval(() => void leaveReplica().catch(() => {}), watchMs).unref();
  return {
    queue: (name) => new Queue(name, { connection: asking, prefix, defaultJobOptions: { ...RETRIES, ...KEEP } }),
    worker: (name, concurrency, handle) =>
      new Worker(name, (job) => handle(job.data), { connection: working, prefix, concurrency, ...RECOVERY }),
    async close() {
      clearInterval(watch);
      for (const client of clients) client.disconnect();
    },
  };
}

/**
 * Makes `disconnect` of a client and of its duplicates always lead to its end. Between two attempts to connect, that of
 * ioredis 6.0 neither connects again nor reports an end, and BullMQ waits for the end before it closes a worker.
 * @param clients receives this client and, as BullMQ makes one for each worker, its duplicates, until their end
 */
function endingClient(client: Redis, clients: Set<Redis>, log: Logger): Redis {
  client.on("error", (error) => log.warn({ err: error }, "the queue's Redis is not reachable"));
  client.on("connecting", () => clients.add(client));
  client.on("end", () => clients.delete(client));
  clients.add(client);
  const duplicate = client.duplicate.bind(client);
  const disconnect = client.disconnect.bind(client);
  return Object.assign(client, {
    duplicate: (override: RedisOptions) => endingClient(duplicate(override), clients, log),
    disconnect(reconnect = false) {
      // It ends already: of many commands that were refused at once, the first one has started it.
      if (reconnect && (client as { stream?: Duplex }).stream?.writableEnded) return;
      // ioredis ends a client in `wait`, the state before its first attempt, which has no socket either.
      if (!reconnect && client.status === "reconnecting") client.status = "wait";
      disconnect(reconnect);
    },
  });
}

/** BullMQ's own schema in Postgres. */
const SCHEMA = "bullmq";

/** Connections to Postgres of a process for its queues: statements on them take milliseconds. */
const CONNECTIONS = 2;
/** Milliseconds after which an unused one is closed: longer than between two checks for jobs of lost workers. */
const IDLE_MS = 60_000;
/** Seconds between two looks of a worker at its queue without a notification of a new job. */
const LOOK_SECONDS = 300;
/** Max milliseconds of one statement: a connection may die without an error. */
const QUERY_MS = 30_000;

/** SQLSTATE classes that a retry does not fix: authorization, no such database, no right to the schema. */
const PERMANENT = /^(28|3D|42)/;

export async function onPostgres(
  { prefix, log, connectMs = 5_000, listen }: StoreOptions,
  databaseUrl: string,
): Promise<Store> {
  const migrated = untilItSucceeds(() => migrateQueue(databaseUrl, connectMs));
  await migrated().catch((error: Error & { code?: string }) => {
    if (PERMANENT.test(error.code ?? "")) throw error;
    log.warn({ err: error }, "the queue's database cannot be reached; the next use of the queue tries again");
  });
  // One pool for all queues.
  const pool = openPool({
    connectionString: databaseUrl,
    application_name: "queue",
    options: `-c search_path=${SCHEMA}`,
    max: CONNECTIONS,
    idleTimeoutMillis: IDLE_MS,
    keepAlive: true,
    connectionTimeoutMillis: connectMs,
    query_timeout: QUERY_MS,
  });
  // Every queue adds a listener to the shared pool.
  pool.setMaxListeners(0);
  pool.on("error", (error) => log.warn({ err: error }, "a connection of the queue was lost"));
  const bull = withBackend(reconnecting(migrated, listen ?? notifications(pool)));
  // The schema is shared, so the prefix goes into the name. Queues on Postgres have the same type as those on Redis.
  const inner = (name: string) => `${prefix}-${name}`;
  return {
    queue: (name) =>
      new bull.Queue(inner(name), {
        connection: pool,
        defaultJobOptions: { ...RETRIES, ...KEEP },
      }) as unknown as Queue,
    worker(name, concurrency, handle) {
      const options = { connection: pool, concurrency, drainDelay: LOOK_SECONDS, ...RECOVERY };
      return new bull.Worker(inner(name), (job) => handle(job.data), options) as unknown as Worker;
    },
    close: () => pool.end(),
  };
}

/** The internals of BullMQ's connection and backend that are changed here; check them with every new version. */
type Readiness = { readyPromise?: Promise<void> | undefined; waitUntilReady(): Promise<void> };
type Connection = Readiness & EventEmitter & { readonly isClosing: unknown; getListenClient(): Promise<unknown> };

/** NOTIFY channel of BullMQ; the payload is the queue with a new job. */
const BULL_CHANNEL = "bullmq_jobs";

/**
 * BullMQ's backend on Postgres, which connects again after a failure, and whose workers listen on one connection together.
 * BullMQ itself keeps the outcome of its first connection, so that a failure at the start lasts until the process ends, and
 * takes a connection for each worker.
 * @param migrated resolves once the schema exists
 */
const reconnecting =
  (migrated: () => Promise<void>, listen: Notifications): typeof createPostgresBackend =>
  (name, options, more) => {
    const backend = createPostgresBackend(name, options, more);
    const { connection } = backend as unknown as { connection: Connection };
    let listener: ReturnType<typeof listenerOf> | undefined;
    connection.getListenClient = async () => {
      if (connection.isClosing) throw new Error("The queue was closed.");
      listener ??= listenerOf(listen, name);
      return listener.client;
    };
    connection.once("close", () => listener?.end());
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

/** What BullMQ uses of the connection that a worker listens on. After each (re)connection the worker looks at its queue. */
function listenerOf(listen: Notifications, queue: string) {
  const client = Object.assign(new EventEmitter(), { query: async () => ({ rows: [] }) });
  const end = listen.on(BULL_CHANNEL, (payload) =>
    client.emit("notification", { channel: BULL_CHANNEL, payload: payload || queue }),
  );
  return { client, end };
}

const HAS_TABLE = statement({
  name: "has-table",
  params: { name: text },
  text: "select to_regclass($name) is not null as exists",
  columns: { exists: bool },
});

/** Creates or updates BullMQ's schema; a role that may not create schemas may still use an existing one. */
async function migrateQueue(databaseUrl: string, connectMs: number): Promise<void> {
  const client = openClient({
    connectionString: databaseUrl,
    application_name: "queue",
    options: "-c client_min_messages=warning",
    connectionTimeoutMillis: connectMs,
    query_timeout: QUERY_MS,
  });
  // The running statement reports a lost connection; without a listener the event would end the process.
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
    if (!(await HAS_TABLE.one(client, { name: `${SCHEMA}.migration` })).exists) throw error;
  } finally {
    await client.end();
  }
}
