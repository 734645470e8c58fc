/**
 * Preloaded into the Ponder process: the statements of a reader (GraphQL and SQL over the index) end when the reader
 * disconnects, when its time is over and at its first error, and their answers are limited in size.
 *
 * Ponder itself repeats every failed statement nine times with growing delays, also after its reader has left: a
 * division by zero kept its connection for one minute, a statement that timed out for five.
 */
import { AsyncLocalStorage, AsyncResource } from "node:async_hooks";
import type { IncomingMessage } from "node:http";
import { createRequire } from "node:module";
import type { Socket } from "node:net";
import { join } from "node:path";
import type pg from "pg";
import { clientAddressBehind, networkOf } from "../../api/http/client-network.ts";
import { loadConfig } from "../../config/config.ts";
import type { IndexReaders } from "../../src/api/limits.ts";
import { PONDER_ROOT } from "./ponder-package.ts";
import { withReaderLimits } from "./reader-limits.ts";

/** Max bytes of rows that one request gets from the database. */
const MAX_BYTES = 8 * 2 ** 20;
/** Max results of Ponder's own check whether a query is allowed that are cached. */
const MAX_VERDICTS = 10_000;

/** A reader's request, and the connections that run its statements now. */
type Reader = {
  /** Why its statements are ended; undefined while they may run. */
  endReason: string | undefined;
  end(why: string): void;
  /** Number of running statements by connection. */
  running: Map<Client, number>;
  /** Resolves when the statements that `end` interrupted have ended in the database too. */
  ended: Promise<unknown>;
  bytes: number;
};

type Client = pg.Client & { processID: number | null; connection: { stream: Socket } };

const readers = new AsyncLocalStorage<Reader>();
const ponder = createRequire(join(PONDER_ROOT, "package.json"));
const { Client, Pool } = ponder("pg") as typeof pg;
/** The only error after which Ponder does not repeat a statement. */
const { NonRetryableUserError } = ponder("./dist/esm/internal/errors.js") as {
  NonRetryableUserError: new (message: string) => Error;
};

const { trustedProxies } = loadConfig().http;
const clientAddress = clientAddressBehind(trustedProxies);

globalThis.indexReaders = {
  networkOf: (incoming: IncomingMessage) => networkOf(clientAddress(incoming)),
  async run(ended, work) {
    const reader: Reader = {
      endReason: undefined,
      running: new Map(),
      ended: Promise.resolve(),
      bytes: 0,
      end(why) {
        if (reader.endReason !== undefined) return;
        reader.endReason = why;
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
 * Ends a connection in this process and in the database, where a statement would continue.
 * Check then write: the reader is gone, then its backend is ended; the connection may be used again: the socket is
 * destroyed first, so that the backend cannot run a statement of another reader.
 */
function endConnection(client: Client): Promise<unknown> {
  client.connection.stream.destroy();
  const { admin } = (globalThis as unknown as { PONDER_DATABASE: { driver: { admin: pg.Pool } } }).PONDER_DATABASE
    .driver;
  if (client.processID === null) return Promise.resolve();
  // If this fails, the statement ends by its own timeout.
  return readers.exit(() => admin.query("select pg_terminate_backend($1)", [client.processID])).catch(() => {});
}

const query = Client.prototype.query as (this: pg.Client, ...given: unknown[]) => Promise<unknown>;

Client.prototype.query = function readerQuery(this: Client, ...given: unknown[]) {
  if (typeof given[0] === "string") given[0] = withReaderLimits(given[0]);
  const reader = readers.getStore();
  if (!reader) return query.apply(this, given);
  const done = given.at(-1);
  if (typeof done !== "function") return runForReader(this, reader, given);
  runForReader(this, reader, given.slice(0, -1)).then(
    (result) => done(undefined, result),
    (error) => done(error),
  );
} as typeof Client.prototype.query;

const open = Client.prototype.connect as (this: pg.Client, done?: (error: Error) => void) => Promise<pg.Client>;

/**
 * A connection is opened for the pool. The reader that will use it is unknown until it is open, and the reader whose
 * request opened it may have left. So its first statements run outside the context of a reader.
 *
 * The pool and Ponder listen to a connection's errors only after it is open. Without the listener added here a connection
 * that breaks earlier would end the process. Its statements receive the error as well.
 */
Client.prototype.connect = function connectOutsideReader(this: Client, done?: (error: Error) => void) {
  this.on("error", () => {});
  return readers.exit(() => open.call(this, done));
} as typeof Client.prototype.connect;

/** What of an error a reader is told: the values of a query (SQLSTATE class 22), its words (42) and its length (54). */
const reasonOf = ({ message, code = "" }: Error & { code?: string }) =>
  /^(?:22|42|54)/.test(code) ? message : "The index cannot answer at the moment. Please try again later.";

/** Runs one statement of a reader. @throws NonRetryableUserError for every error */
async function runForReader(client: Client, reader: Reader, given: unknown[]): Promise<unknown> {
  // The connection is ended too: it can be inside a transaction, and the pool would give it to another reader.
  if (reader.endReason !== undefined) await endConnection(client);
  const count = (chunk: Buffer) => {
    reader.bytes += chunk.length;
    if (reader.bytes > MAX_BYTES) reader.end(`The answer is larger than ${MAX_BYTES / 2 ** 20} MB.`);
  };
  const { running } = reader;
  const { stream } = client.connection;
  running.set(client, (running.get(client) ?? 0) + 1);
  stream.on("data", count);
  try {
    if (reader.endReason !== undefined) throw new Error(reader.endReason);
    return await query.apply(client, given);
  } catch (error) {
    await reader.ended;
    throw new NonRetryableUserError(reader.endReason ?? reasonOf(error as Error));
  } finally {
    stream.off("data", count);
    const left = running.get(client)! - 1;
    if (left > 0) running.set(client, left);
    else running.delete(client);
  }
}

const connect = Pool.prototype.connect as (this: pg.Pool, done?: (...result: unknown[]) => void) => Promise<unknown>;

// Keeps the context of the reader that waits: the pool calls back in the context of the reader that released a connection.
Pool.prototype.connect = function readerConnect(this: pg.Pool, done?: (...result: unknown[]) => void) {
  const reader = readers.getStore();
  if (done) return connect.call(this, reader ? AsyncResource.bind(done) : done);
  const connected = (connect.call(this) as Promise<pg.PoolClient>).then(releasedAtItsEnd);
  if (!reader) return connected;
  return connected.catch((error: Error) => {
    throw new NonRetryableUserError(reasonOf(error));
  });
} as typeof Pool.prototype.connect;

/**
 * Releases a connection to its pool when it ends, also when its user does not: drizzle does not when the `begin` of a
 * transaction fails, and the pool would be smaller by one connection from then on.
 */
function releasedAtItsEnd(client: pg.PoolClient): pg.PoolClient {
  const release = client.release;
  let released = false;
  client.release = (error) => {
    if (released) return;
    released = true;
    client.off("end", ended);
    release(error);
  };
  const ended = () => client.release(true);
  client.once("end", ended);
  return client;
}

/**
 * Ponder caches for each query whether it is allowed: a million allowed ones, and refused ones without a limit. It creates
 * the caches when its module is loaded; this replaces them by bounded maps.
 */
const Unbounded = globalThis.Map;
class BoundedMap<K, V> extends Unbounded<K, V> {
  override set(key: K, value: V): this {
    super.set(key, value);
    if (this.size > MAX_VERDICTS) this.delete(this.keys().next().value!);
    return this;
  }
}
globalThis.Map = BoundedMap as MapConstructor;
try {
  ponder("./dist/esm/utils/sql-parse.js");
} finally {
  globalThis.Map = Unbounded;
}
