/** Connections to Postgres. Pools and clients are made here only, so that all of them read the same types alike. */
import type { Duplex } from "node:stream";
import pg from "pg";

/**
 * Reads an int8. Ids, blocks and counts stay far below 2^53; amounts of money are numeric, which stays a string.
 * @throws RangeError beyond 2^53 - 1: a rounded number would be another id
 */
function parseInt8(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value))
    throw new RangeError(`int8 ${text} does not fit in a number: it is beyond 2^53 - 1`);
  return value;
}

/** Runs one statement at a time: a pool, a client, or the client of a transaction. */
export type Queryable = Pick<pg.ClientBase, "query">;

const { INT8 } = pg.types.builtins;
/** The type id of int8[], which pg does not name. */
const INT8_ARRAY = 1016;

const parseArray = pg.types.getTypeParser(INT8_ARRAY as number) as (text: string) => (string | null)[];
const parseInt8Array = (text: string) => parseArray(text).map((item) => (item === null ? null : parseInt8(item)));

/** How values of Postgres become values of JavaScript: int8 as a number, everything else as pg does it. */
const PG_TYPES: pg.CustomTypesConfig = {
  getTypeParser(type, format) {
    if (format !== "binary") {
      if (type === INT8) return parseInt8;
      if ((type as number) === INT8_ARRAY) return parseInt8Array;
    }
    return pg.types.getTypeParser(type, format as "text");
  },
};

/**
 * A connection to a host that vanished closes nothing: the kernel asks after ten idle seconds, and gives it up ten seconds
 * later. Where an answer is waited for it does not ask; a `query_timeout` bounds that.
 */
const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 } as const;

/** The server takes no writes: it is a standby now, or was one when the connection was made. */
const READ_ONLY = "25006";
/** The plans or statements prepared on the connection are not what is there any more. */
const isOutdated = ({ code, message }: ServerError): boolean =>
  code === "26000" || (code === "0A000" && /cached plan/.test(message ?? ""));

type ServerError = { code?: string; message?: string };
/** What pg does not say in its types: every error of the server, and the socket. */
type Connection = { on(event: "errorMessage", listener: (error: ServerError) => void): void; stream: Duplex };
const connectionOf = (client: pg.ClientBase) => (client as unknown as { connection: Connection }).connection;

/**
 * A pool of connections. The caller ends it. The loss of an idle connection ends no process, even where it comes after the
 * end of the pool: a pool opens another connection when it needs one. Who wants to log the loss listens to "error".
 *
 * A failover leaves connections to a server that only reads. Once one has refused a write, it and all made before it are
 * given up, so that the next ones ask again where the primary is.
 */
export function openPool(config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool({ ...KEEP_ALIVE, ...config, types: PG_TYPES });
  const idle = new Set<pg.PoolClient>();
  const open = new Set<pg.PoolClient>();
  const leaving = new WeakSet<pg.PoolClient>();
  // A pool that is read-only by its own wish refuses writes anywhere.
  const mayWrite = !config.options?.includes("default_transaction_read_only");
  const leave = (client: pg.PoolClient) => {
    leaving.add(client);
    // The pool sees the loss of an idle connection; one in use is finished with first.
    if (idle.has(client)) connectionOf(client).stream.destroy();
  };
  return pool
    .on("error", () => {})
    .on("connect", (client) => {
      open.add(client);
      connectionOf(client).on("errorMessage", (error) => {
        if (isOutdated(error)) leave(client);
        else if (error.code === READ_ONLY && mayWrite) for (const one of open) leave(one);
      });
    })
    .on("acquire", (client) => void idle.delete(client))
    .on("release", (_, client) => {
      if (leaving.has(client)) void (client as unknown as pg.Client).end().catch(() => {});
      else idle.add(client);
    })
    .on("remove", (client) => {
      idle.delete(client);
      open.delete(client);
    });
}

/** A pool whose transactions cannot write, for commands that only examine. */
export const openReadOnlyPool = (config: pg.PoolConfig): pg.Pool =>
  openPool({
    ...config,
    verify: (client, done) => void client.query("set default_transaction_read_only = on").then(() => done(), done),
  });

/** One connection of its own, not yet connected. */
export const openClient = (config: pg.ClientConfig): pg.Client =>
  new pg.Client({ ...KEEP_ALIVE, ...config, types: PG_TYPES });
