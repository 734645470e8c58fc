/** What the index is doing, as its readers see it: the served block, staleness, and a way to wait for a block. */
import type pg from "pg";
import { openClient } from "./connect.ts";

/** Anything that runs one SQL statement: a pool, a client, a transaction. */
type Queryable = Pick<pg.Pool | pg.ClientBase, "query">;

/** The state of the served index. Blocks are numbers, times Unix seconds. */
export type IndexState = {
  /** The views exist and answer: data routes may serve. Says nothing about freshness. */
  ready: boolean;
  /** The index schema whose rows are served (a held copy is named after its origin); null before the first views. */
  schema: string | null;
  generation: number;
  /** True while a copy is served because the indexer restarts; the block stands still for these seconds. */
  held: boolean;
  /** True while the served rows are known to be wrong somewhere and a new index is being built. */
  stale: boolean;
  /** Why it is stale, one sentence; null otherwise. */
  reason: string | null;
  /** The last block whose events are in the served rows; null before the first views. */
  indexedBlock: number | null;
  /** Time of that block. */
  indexedAt: number | null;
  /** Up to here the index itself never rolls back. */
  finalizedBlock: number | null;
};

/** The state before the indexer has ever run. */
export const NOT_INDEXED: IndexState = {
  ready: false,
  schema: null,
  generation: 0,
  held: false,
  stale: false,
  reason: null,
  indexedBlock: null,
  indexedAt: null,
  finalizedBlock: null,
};

/** The channel every change of the served index is announced on; the payload is the indexed block. */
export const INDEX_CHANNEL = "onchain";

/**
 * SQL of a block number out of a checkpoint column. Layout of a Ponder checkpoint: 10 digits time, 16 chain id,
 * 16 block, 16 transaction, 1 event type, 16 event index (ponder/src/utils/checkpoint.ts).
 */
export const checkpointBlock = (column: string) => `substr(${column}, 27, 16)::bigint`;
/** SQL of the block time (Unix seconds) out of a checkpoint column. */
export const checkpointTime = (column: string) => `substr(${column}, 1, 10)::bigint`;

const READ_STATE = {
  name: "index-state",
  text: `
    select s.schema, s.generation, s.held, s.stale, s.reason,
           ${checkpointBlock("c.latest_checkpoint")} as indexed_block,
           ${checkpointTime("c.latest_checkpoint")} as indexed_at,
           ${checkpointBlock("c.finalized_checkpoint")} as finalized_block
    from onchain.index_state s cross join onchain._ponder_checkpoint c
    limit 1`,
};

/** undefined_table, invalid_schema_name, insufficient_privilege: the indexer has not published (or granted) views yet. */
const NO_VIEWS = new Set(["42P01", "3F000", "42501"]);

/**
 * Reads the state of the served index.
 * @returns NOT_INDEXED while there are no views yet.
 * @throws the driver's error when the database does not answer.
 */
export async function readIndexState(db: Queryable): Promise<IndexState> {
  try {
    const { rows } = await db.query(READ_STATE);
    const row = rows[0];
    if (row === undefined) return NOT_INDEXED;
    return {
      ready: true,
      schema: row.schema,
      generation: row.generation,
      held: row.held,
      stale: row.stale,
      reason: row.reason,
      indexedBlock: Number(row.indexed_block),
      indexedAt: Number(row.indexed_at),
      finalizedBlock: Number(row.finalized_block),
    };
  } catch (error) {
    if (NO_VIEWS.has((error as { code?: string }).code ?? "")) return NOT_INDEXED;
    throw error;
  }
}

/** The state of the served index, kept in memory. */
export type IndexTracker = {
  /** The last state read; NOT_INDEXED before the first answer of the database. */
  readonly state: IndexState;
  /** The served block, or -1 while nothing is indexed. */
  readonly block: number;
  /** Milliseconds since the database last confirmed the state; Infinity before it ever did. */
  readonly age: number;
  /** Reads the state now instead of at the next notification or poll. */
  refresh(): Promise<IndexState>;
  /** Resolves true once `block` is served, false after `timeoutMs`. */
  waitFor(block: number, timeoutMs: number): Promise<boolean>;
  /** Calls back after every change of state. @returns a function that ends it. */
  onChange(listener: (state: IndexState) => void): () => void;
  close(): Promise<void>;
};

/**
 * Follows the served index on one connection of its own: at once by LISTEN, and by a poll for whatever a
 * notification cannot tell (a lost connection, a switch of views). Survives restarts of the database.
 * @param pollMs how old an unconfirmed state may get, in milliseconds.
 */
export async function trackIndexedBlock(url: string, { pollMs = 200 } = {}): Promise<IndexTracker> {
  let state = NOT_INDEXED;
  let confirmedAt = Number.NEGATIVE_INFINITY;
  let client: pg.Client | undefined;
  let reading: Promise<void> | undefined;
  let rereadAfter = false;
  let closed = false;
  const listeners = new Set<(state: IndexState) => void>();

  async function connect(): Promise<pg.Client> {
    const fresh = openClient({
      connectionString: url,
      application_name: "index-tracker",
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
      query_timeout: 5_000,
    });
    const lose = () => {
      if (client === fresh) client = undefined;
    };
    fresh.on("error", lose);
    fresh.on("end", lose);
    fresh.on("notification", () => void refresh());
    try {
      await fresh.connect();
      await fresh.query(`listen ${INDEX_CHANNEL}`);
    } catch (error) {
      fresh.end().catch(() => {});
      throw error;
    }
    return fresh;
  }

  async function read(): Promise<void> {
    try {
      client ??= await connect();
      const next = await readIndexState(client);
      confirmedAt = performance.now();
      const changed = (Object.keys(next) as (keyof IndexState)[]).some((key) => next[key] !== state[key]);
      state = next;
      if (changed) for (const listener of [...listeners]) listener(state);
    } catch {
      // The database is away: the last state stands, `age` grows, the next poll tries again on a new connection.
      const lost = client;
      client = undefined;
      lost?.end().catch(() => {});
    }
  }

  /** One read at a time; a wish that arrives during a read is granted by exactly one more read after it. */
  async function refresh(): Promise<IndexState> {
    if (closed) return state;
    if (reading !== undefined) {
      rereadAfter = true;
      await reading;
      return state;
    }
    reading = (async () => {
      do {
        rereadAfter = false;
        await read();
      } while (rereadAfter && !closed);
    })();
    try {
      await reading;
    } finally {
      reading = undefined;
    }
    return state;
  }

  await refresh();
  const poll = setInterval(() => void refresh(), pollMs);
  poll.unref();

  return {
    get state() {
      return state;
    },
    get block() {
      return state.indexedBlock ?? -1;
    },
    get age() {
      return performance.now() - confirmedAt;
    },
    refresh,
    waitFor(block, timeoutMs) {
      const served = () => state.indexedBlock !== null && state.indexedBlock >= block;
      if (served()) return Promise.resolve(true);
      return new Promise((resolve) => {
        const settle = (answer: boolean) => {
          clearTimeout(timer);
          listeners.delete(look);
          resolve(answer);
        };
        const look = () => {
          if (served()) settle(true);
        };
        const timer = setTimeout(() => settle(false), timeoutMs);
        listeners.add(look);
      });
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async close() {
      closed = true;
      clearInterval(poll);
      await reading;
      const last = client;
      client = undefined;
      await last?.end().catch(() => {});
    },
  };
}
