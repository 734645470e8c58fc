/** Connections to Postgres. Pools and clients are made here only, so that all of them read the same types alike. */
import pg from "pg";
import { LimitedClient } from "./limited-client.ts";
import { backingOff } from "./session-client.ts";
import { TurnPool } from "./turn-pool.ts";

/** Max milliseconds until a connection is made, where no other limit is given. */
const CONNECT_MS = 5_000;
/** Max milliseconds of waiting for a connection of a pool, likewise. */
const TURN_MS = 30_000;

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

/** `connectionTimeoutMillis` limits connecting alone: beyond it a server that answers nobody else counts as away. */
export type PoolConfig = pg.PoolConfig & {
  /** Max milliseconds of waiting for a connection: beyond it the service counts as overloaded. */
  turnMs?: number | undefined;
  /** Statements that wait for an answer fail soon after the server's host has vanished, not only new connections. */
  noticesSilence?: boolean | undefined;
};

/**
 * A pool of connections, for which its users take turns (turn-pool.ts). The caller ends it. The loss of an idle connection ends no process, even where it comes after the
 * end of the pool: a pool opens another connection when it needs one. Who wants to log the loss listens to "error".
 *
 * A failover leaves connections to a server that only reads. Once one has refused a write, it and all made before it are
 * given up, so that the next ones ask again where the primary is.
 */
export function openPool({
  connectionTimeoutMillis: connectMs = CONNECT_MS,
  turnMs = TURN_MS,
  ...config
}: PoolConfig): TurnPool {
  const Client = class extends LimitedClient {
    constructor(options: pg.ClientConfig = {}) {
      super(options, connectMs);
    }
  };
  const pool = new TurnPool({ ...KEEP_ALIVE, ...config, turnMs, Client, types: PG_TYPES });
  const idle = new Set<pg.PoolClient>();
  const open = new Set<pg.PoolClient>();
  const leaving = new WeakSet<pg.PoolClient>();
  // A pool that is read-only by its own wish refuses writes anywhere.
  const mayWrite = !config.options?.includes("default_transaction_read_only");
  const leave = (client: pg.PoolClient) => {
    leaving.add(client);
    // The pool sees the loss of an idle connection; one in use is finished with first.
    if (idle.has(client)) client.connection.stream.destroy();
  };
  return pool
    .on("error", () => {})
    .on("connect", (client) => {
      open.add(client);
      client.connection.on("errorMessage", (error: ServerError) => {
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

/** A pool whose transactions cannot write, for commands that only examine: also behind a pooler that drops the option. */
export const openReadOnlyPool = (config: Omit<PoolConfig, "options">): pg.Pool =>
  openPool({
    ...config,
    options: "-c default_transaction_read_only=on",
    verify: (client, done) => void client.query("set default_transaction_read_only = on").then(() => done(), done),
  });

/**
 * One connection of its own, not yet connected. Where the server has none left, all such back off (session-client.ts).
 * @param wait see `backingOff`
 */
export const openClient = (
  { connectionTimeoutMillis = CONNECT_MS, ...config }: pg.ClientConfig,
  wait?: (ms: number) => Promise<unknown>,
): pg.Client =>
  backingOff(new LimitedClient({ ...KEEP_ALIVE, ...config, types: PG_TYPES }, connectionTimeoutMillis), wait);
