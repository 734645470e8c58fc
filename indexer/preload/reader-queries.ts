/**
 * Preloaded into the Ponder process: the statements of a reader (GraphQL and SQL over the index) end with the reader,
 * with its time and with its first failure, and are small.
 *
 * Ponder itself tries every failed statement again, nine times with growing pauses, whoever is still there: a division
 * by zero held its place for a minute, and one that timed out for five.
 */
import { AsyncLocalStorage, AsyncResource } from "node:async_hooks";
import type { IncomingMessage } from "node:http";
import { createRequire } from "node:module";
import type { Socket } from "node:net";
import { join } from "node:path";
import type pg from "pg";
import { clientAddressBehind } from "../../api/http/client-address.ts";
import { networkOf } from "../../api/http/client-network.ts";
import { loadConfig } from "../../config/config.ts";
import type { IndexReaders } from "../../src/api/limits.ts";
import { PONDER_ROOT } from "./ponder-package.ts";
import { modest } from "./reader-limits.ts";

/** Bytes of all rows that one request may get from the database. */
const MAX_BYTES = 8 * 2 ** 20;
/** Answers of Ponder's own look at whether a query is allowed that are remembered. */
const VERDICTS = 10_000;

/** A reader's request, and the connections its statements are on at this moment. */
type Reader = {
  /** Why its statements have to end, once they have. */
  over: string | undefined;
  end(why: string): void;
  running: Map<Client, number>;
  /** Resolves when what ran has been ended in the database too. */
  ended: Promise<unknown>;
  bytes: number;
};

type Client = pg.Client & { processID: number | null; connection: { stream: Socket } };

const readers = new AsyncLocalStorage<Reader>();
const ponder = createRequire(join(PONDER_ROOT, "package.json"));
const { Client, Pool } = ponder("pg") as typeof pg;
/** The one error after which Ponder does not try again. */
const { NonRetryableUserError } = ponder("./dist/esm/internal/errors.js") as {
  NonRetryableUserError: new (message: string) => Error;
};

const { trustedProxies } = loadConfig().http;
const clientAddress = clientAddressBehind(trustedProxies);

globalThis.indexReaders = {
  nameOf: (incoming: IncomingMessage) => networkOf(clientAddress(incoming)),
  async run(ended, work) {
    const reader: Reader = {
      over: undefined,
      running: new Map(),
      ended: Promise.resolve(),
      bytes: 0,
      end(why) {
        if (reader.over !== undefined) return;
        reader.over = why;
        reader.ended = Promise.all([...reader.running.keys()].map(endConnection));
      },
    };
    const end = () =>
      reader.end(ended.reason?.name === "TimeoutError" ? "The query took too long." : "The reader has left.");
    ended.addEventListener("abort", end, { once: true });
    try {
      return await readers.run(reader, work);
    } finally {
      ended.removeEventListener("abort", end);
    }
  },
} satisfies IndexReaders;

/**
 * Ends a connection here and in the database, where a statement would run on. The connection is gone before the
 * database is asked, so that nobody else's statement can be on it by then.
 */
function endConnection(client: Client): Promise<unknown> {
  client.connection.stream.destroy();
  const { admin } = (globalThis as unknown as { PONDER_DATABASE: { driver: { admin: pg.Pool } } }).PONDER_DATABASE
    .driver;
  if (client.processID === null) return Promise.resolve();
  // Should that fail, the statement ends by its own timeout.
  return readers.exit(() => admin.query("select pg_terminate_backend($1)", [client.processID])).catch(() => {});
}

const query = Client.prototype.query as (this: pg.Client, ...given: unknown[]) => Promise<unknown>;

Client.prototype.query = function readerQuery(this: Client, ...given: unknown[]) {
  if (typeof given[0] === "string") given[0] = modest(given[0]);
  const reader = readers.getStore();
  if (!reader) return query.apply(this, given);
  const done = given.at(-1);
  if (typeof done !== "function") return asked(this, reader, given);
  asked(this, reader, given.slice(0, -1)).then(
    (result) => done(undefined, result),
    (error) => done(error),
  );
} as typeof Client.prototype.query;

const open = Client.prototype.connect as (this: pg.Client, done?: (error: Error) => void) => Promise<pg.Client>;

/**
 * A connection is opened for the pool: which reader it goes to is not known before it is open, and the reader in whose
 * time the pool asks for it may have left. So its opening statements are of no reader.
 *
 * The pool and Ponder listen to a connection's errors only once it is open. One that breaks before that would end the
 * process, though the failure reaches its statements as well: it has a listener from the start.
 */
Client.prototype.connect = function openForAll(this: Client, done?: (error: Error) => void) {
  this.on("error", () => {});
  return readers.exit(() => open.call(this, done));
} as typeof Client.prototype.connect;

/** One statement of a reader. @throws NonRetryableUserError whatever is wrong with it */
async function asked(client: Client, reader: Reader, given: unknown[]): Promise<unknown> {
  // Ended as well: it may stand in the middle of a transaction, and goes back to the others.
  if (reader.over !== undefined) await endConnection(client);
  const count = (chunk: Buffer) => {
    reader.bytes += chunk.length;
    if (reader.bytes > MAX_BYTES) reader.end(`The answer is larger than ${MAX_BYTES / 2 ** 20} MB.`);
  };
  const { running } = reader;
  const { stream } = client.connection;
  running.set(client, (running.get(client) ?? 0) + 1);
  stream.on("data", count);
  try {
    if (reader.over !== undefined) throw new Error(reader.over);
    return await query.apply(client, given);
  } catch (error) {
    await reader.ended;
    throw new NonRetryableUserError(reader.over ?? (error as Error).message);
  } finally {
    stream.off("data", count);
    const left = running.get(client)! - 1;
    if (left > 0) running.set(client, left);
    else running.delete(client);
  }
}

const connect = Pool.prototype.connect as (this: pg.Pool, done?: (...result: unknown[]) => void) => Promise<unknown>;

// Whoever waits for a connection goes on as the reader it was: the pool calls back from where another let go of one.
Pool.prototype.connect = function readerConnect(this: pg.Pool, done?: (...result: unknown[]) => void) {
  const reader = readers.getStore();
  if (done) return connect.call(this, reader ? AsyncResource.bind(done) : done);
  const connected = (connect.call(this) as Promise<pg.PoolClient>).then(givenBackAtItsEnd);
  if (!reader) return connected;
  return connected.catch((error: Error) => {
    throw new NonRetryableUserError(error.message);
  });
} as typeof Pool.prototype.connect;

/**
 * A connection that has ended goes back to its pool, whether or not its user gives it back: drizzle does not when the
 * `begin` of a transaction fails, and the pool would have one place less for ever.
 */
function givenBackAtItsEnd(client: pg.PoolClient): pg.PoolClient {
  const release = client.release;
  let given = false;
  client.release = (error) => {
    if (given) return;
    given = true;
    client.off("end", ended);
    release(error);
  };
  const ended = () => client.release(true);
  client.once("end", ended);
  return client;
}

/**
 * Ponder remembers for each query whether it is allowed: a million, and those it refuses without end. What it keeps
 * them in is made when its module is loaded.
 */
const Unbounded = globalThis.Map;
class BoundedMap<K, V> extends Unbounded<K, V> {
  override set(key: K, value: V): this {
    super.set(key, value);
    if (this.size > VERDICTS) this.delete(this.keys().next().value!);
    return this;
  }
}
globalThis.Map = BoundedMap as MapConstructor;
try {
  ponder("./dist/esm/utils/sql-parse.js");
} finally {
  globalThis.Map = Unbounded;
}
