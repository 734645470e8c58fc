/** The state of the index as its readers see it: the served block, staleness, and a way to wait for a block. */
import type pg from "pg";
import { inTime } from "../../runtime/in-time.ts";
import { sharedRead } from "../../runtime/once.ts";
import { openClient } from "../sql/connect.ts";
import { statement, t } from "../sql/statement.ts";
import { type Queryable, withoutIndex } from "../sql/transaction.ts";
import { bytesReceived } from "../sql/turn-pool.ts";

const SERVED = {
  /** The index schema whose rows are served, also while a copy of it is served; null before the first views. */
  schema: t.nullable(t.text),
  generation: t.int4,
  /** True while the indexer restarts and a copy of its rows is served; the block does not advance for these seconds. */
  retainedView: t.bool,
  /** True while some served rows are known to be wrong and a new index is being built. */
  stale: t.bool,
  /**
   * Why it is stale, one sentence. Not stale: what the served rows lack, until it is filled. Null: nothing is known to be
   * wrong.
   */
  reason: t.nullable(t.text),
  /** The last block whose events are in the served rows; null before the first views. */
  indexedBlock: t.nullable(t.int8),
  indexedAt: t.nullable(t.int8),
  /** Block up to which the index never rolls back. */
  finalizedBlock: t.nullable(t.int8),
};
/**
 * The state of the served index. Blocks are numbers, times Unix seconds. `ready`: the views exist, so data routes can serve.
 * Says nothing about freshness.
 */
export type IndexState = t.RowOf<typeof SERVED> & { ready: boolean };

/** The state before the indexer has ever run. */
export const NOT_INDEXED: IndexState = {
  ready: false,
  schema: null,
  generation: 0,
  retainedView: false,
  stale: false,
  reason: null,
  indexedBlock: null,
  indexedAt: null,
  finalizedBlock: null,
};

/**
 * NOTIFY channel of every change of the served index, but blocks without changes. The payload of a new block is the schema
 * of its index, the block, its time and the finalized block; that of any other change does not say what changed.
 */
export const INDEX_CHANNEL = "onchain";
/** NOTIFY channel of blocks that have changed `index_changes`, and of a switch to another index. */
export const CHANGES_CHANNEL = "index_changes";

/**
 * SQL of a block number out of a checkpoint column. Layout of a Ponder checkpoint: 10 digits time, 16 chain id,
 * 16 block, 16 transaction, 1 event type, 16 event index (ponder/src/utils/checkpoint.ts).
 */
export const checkpointBlock = (column: string) => `substr(${column}, 27, 16)::bigint`;
/** SQL of the block time (Unix seconds) out of a checkpoint column. */
export const checkpointTime = (column: string) => `substr(${column}, 1, 10)::bigint`;

const READ_STATE = statement({
  name: "index-state",
  text: `
    select s.schema, s.generation, s.held as "retainedView", s.stale, s.reason,
           ${checkpointBlock("c.latest_checkpoint")} as "indexedBlock",
           ${checkpointTime("c.latest_checkpoint")} as "indexedAt",
           ${checkpointBlock("c.finalized_checkpoint")} as "finalizedBlock"
    from onchain.index_state s cross join onchain._ponder_checkpoint c
    limit 1`,
  columns: SERVED,
  prepared: true,
});

/**
 * Reads the state of the served index.
 * @returns NOT_INDEXED while there are no views yet.
 * @throws the driver's error when the database does not answer.
 */
export async function readIndexState(db: Queryable): Promise<IndexState> {
  const state = await READ_STATE.maybeOne(db).catch(withoutIndex(null));
  return state ? { ready: true, ...state } : NOT_INDEXED;
}

/** Max age of the index's block in milliseconds at which its scores are what the chain says now. */
const MAX_CURRENT_AGE_MS = 600_000;

/** Whether what follows from the served rows may be published: not while the index is wrong, held, or catching up. */
export const isCurrent = ({ stale, retainedView, indexedAt }: IndexState, now: Date): boolean =>
  !stale && !retainedView && indexedAt !== null && now.getTime() - indexedAt * 1_000 < MAX_CURRENT_AGE_MS;

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

/** Milliseconds between two reads of the state while somebody waits for a block: one without changes is not announced. */
const LOOK_MS = 100;

/** Milliseconds for which the state is read often after somebody has asked for it: longer than between two scrapes. */
const ASKED_MS = 120_000;
/** Milliseconds between two reads while nobody asks. */
const IDLE_POLL_MS = 30_000;

/**
 * Follows the served index on a connection of its own: by LISTEN, and by a poll where no notification has come, because
 * blocks without changes have none, and the connection may be lost. Survives restarts of the database.
 * @param pollMs age of an unconfirmed state at which it is read, in milliseconds; 30 seconds while nobody asks for it
 */
export async function trackIndexedBlock(url: string, { pollMs = 1_000 } = {}): Promise<IndexTracker> {
  const follower = new IndexStateFollower(url);
  await follower.refresh();
  let askedAt = performance.now();
  const asked = () => {
    askedAt = performance.now();
    return follower;
  };
  const poll = setInterval(() => {
    const isAsked = performance.now() - askedAt < ASKED_MS;
    void follower.readWithin(isAsked ? pollMs : Math.max(pollMs, IDLE_POLL_MS));
  }, pollMs / 4);
  poll.unref();
  return {
    get state() {
      return asked().state;
    },
    get block() {
      return asked().state.indexedBlock ?? -1;
    },
    get age() {
      return performance.now() - asked().confirmedAt;
    },
    refresh: () => asked().refresh(),
    waitFor: (block, timeoutMs) => waitForBlock(asked(), block, timeoutMs),
    onChange: (listener) => follower.onChange(listener),
    async close() {
      clearInterval(poll);
      await follower.close();
    },
  };
}

/** Reads the state on one listening connection, which it reopens after a loss. */
class IndexStateFollower {
  readonly #url: string;
  #client: pg.Client | undefined;
  #reading: Promise<void> | undefined;
  #closed = false;
  /** One read at a time; all requests during a read are answered by one more read after it. */
  readonly #shared = sharedRead(() => this.#read());
  readonly #listeners = new Set<(state: IndexState) => void>();
  state = NOT_INDEXED;
  /** When the database last answered, as `performance.now()`. */
  confirmedAt = Number.NEGATIVE_INFINITY;

  constructor(url: string) {
    this.#url = url;
  }

  onChange(listener: (state: IndexState) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Reads the state when the last answer is older, and none is awaited: for any number of those who look again and again. */
  async readWithin(ms: number): Promise<void> {
    if (this.#reading === undefined && performance.now() - this.confirmedAt >= ms) await this.refresh();
  }

  async refresh(): Promise<IndexState> {
    await this.#shared();
    return this.state;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#reading;
    const client = this.#client;
    this.#client = undefined;
    await client?.end().catch(() => {});
  }

  async #read(): Promise<void> {
    if (this.#closed) return;
    this.#reading = this.#answer().finally(() => {
      this.#reading = undefined;
    });
    await this.#reading;
  }

  async #answer(): Promise<void> {
    try {
      this.#client ??= await this.#connect();
      this.#take(await readIndexState(this.#client));
    } catch {
      // The database does not answer: keep the last state, let its age grow, and read on a new connection at the next poll.
      const lost = this.#client;
      this.#client = undefined;
      lost?.end().catch(() => {});
    }
  }

  /** Takes a new block from its notification. @returns false where the state has to be read */
  #advance(payload: string): boolean {
    const [schema, ...numbers] = payload.split(" ");
    const [indexedBlock, indexedAt, finalizedBlock] = numbers.map(Number);
    const { ready, retainedView } = this.state;
    if (this.#reading || !ready || retainedView || schema !== this.state.schema) return false;
    if (indexedBlock === undefined || indexedAt === undefined || finalizedBlock === undefined) return false;
    this.#take({ ...this.state, indexedBlock, indexedAt, finalizedBlock });
    return true;
  }

  #take(next: IndexState): void {
    this.confirmedAt = performance.now();
    const changed = (Object.keys(next) as (keyof IndexState)[]).some((key) => next[key] !== this.state[key]);
    this.state = next;
    if (changed) for (const listener of [...this.#listeners]) listener(next);
  }

  async #connect(): Promise<pg.Client> {
    const client = openClient({
      connectionString: this.#url,
      application_name: "index-tracker",
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
      query_timeout: 5_000,
    });
    const onLost = () => {
      if (this.#client === client) this.#client = undefined;
    };
    client.on("error", onLost);
    client.on("end", onLost);
    client.on("notification", ({ payload }) => {
      if (!this.#advance(payload ?? "")) void this.refresh();
    });
    try {
      await client.connect();
      await client.query(`listen ${INDEX_CHANNEL}`);
    } catch (error) {
      client.end().catch(() => {});
      throw error;
    }
    return client;
  }
}

function waitForBlock(follower: IndexStateFollower, block: number, timeoutMs: number): Promise<boolean> {
  const isServed = () => follower.state.indexedBlock !== null && follower.state.indexedBlock >= block;
  if (isServed()) return Promise.resolve(true);
  const served = Promise.withResolvers<boolean>();
  const stop = follower.onChange(() => {
    if (isServed()) served.resolve(true);
  });
  const look = setInterval(() => void follower.readWithin(LOOK_MS), LOOK_MS);
  void follower.refresh();
  return inTime(served.promise, timeoutMs, () => false).finally(() => {
    clearInterval(look);
    stop();
  });
}

/**
 * What a read would find, on the connections that reads use: an answer, or other reads that are answered while this one
 * waits for its turn.
 * @param reads where reads are asked @param pools all that may answer them
 */
export async function answersReads(reads: pg.Pool, pools: readonly pg.Pool[], withinMs: number): Promise<boolean> {
  const received = () => pools.reduce((sum, pool) => sum + bytesReceived(pool), 0);
  const before = received();
  const read = readIndexState(reads).then(
    () => true,
    () => false,
  );
  return inTime(read, withinMs, () => received() > before);
}
