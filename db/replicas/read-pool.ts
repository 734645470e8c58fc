/**
 * The pool that reads take where there are replicas. A statement, or a snapshot, goes to a replica only after that has
 * replayed everything the primary had when the read began: so it answers as the primary would, and no reader needs to
 * know where it reads. Everything else, transactions that write included, goes to the primary.
 */
import pg from "pg";
import { Failure } from "../../core/errors.ts";
import { sharedRead } from "../../runtime/once.ts";
import { openPool, type PoolConfig } from "../sql/connect.ts";
import { routeReads } from "../sql/read-route.ts";
import { Replica, type ReplicaOptions, type ReplicaState } from "./replica.ts";
import { flushPrimary, primaryPosition, serverIdentity } from "./wal.ts";

export type ReadPool = {
  /** Used in place of the primary's pool: a replica may answer `query` and `snapshot(…)`. */
  readonly db: pg.Pool;
  /** Reads that the primary has answered although there are replicas. */
  readonly primaryReads: number;
  readonly replicas: readonly ReplicaState[];
  /** The connections that the next read takes. */
  next(): pg.Pool;
  /** All pools, that of the primary first. */
  readonly pools: readonly pg.Pool[];
  close(): Promise<void>;
};

export type ReadPoolOptions = {
  primary: pg.Pool;
  /** Of the primary. */
  url: string;
  replicaUrls: readonly string[];
  /** Max milliseconds that a read waits for a replica; a replica that is further behind is left out. */
  maxLagMs: number;
  log: { info(fields: object, message: string): void; warn(fields: object, message: string): void };
};

/** Milliseconds between two checks of a replica. */
const CHECK_MS = 250;
const ANSWER_MS = 1_000;

/** @returns once each replica was checked, whether or not it can be used */
export async function openReadPool(options: ReadPoolOptions): Promise<ReadPool> {
  const router = new Router(options);
  await router.check();
  return router;
}

class Router implements ReadPool {
  readonly db: pg.Pool;
  readonly pools: readonly pg.Pool[];
  readonly #primary: pg.Pool;
  /** One connection for questions about positions: they do not wait behind the primary's statements. */
  readonly #positions: pg.Pool;
  readonly #replicas: Replica[];
  readonly #position: () => Promise<bigint>;
  readonly #timer: NodeJS.Timeout;
  primaryReads = 0;

  constructor({ primary, url, replicaUrls, maxLagMs, log }: ReadPoolOptions) {
    this.#primary = primary;
    this.#positions = openPool({
      connectionString: url,
      application_name: "replica-positions",
      max: 2,
      connectionTimeoutMillis: ANSWER_MS,
      query_timeout: ANSWER_MS,
    });
    const { max, turnMs, statement_timeout, application_name } = primary.options as PoolConfig;
    const pool: ReplicaOptions["pool"] = { max, turnMs, statement_timeout, application_name };
    const onChange = (replica: Replica, error?: unknown) => {
      const fields = { replica: replica.name, leftOut: replica.leftOut, ...(error !== undefined && { err: error }) };
      if (replica.leftOut === null) log.info(fields, "a replica takes reads");
      else log.warn(fields, "a replica takes no reads");
    };
    const flushed = sharedRead(() => flushPrimary(this.#positions));
    const flush = () => void flushed().catch(() => {});
    this.#replicas = replicaUrls.map((one) => new Replica({ url: one, pool, maxLagMs, flush, onChange }));
    this.pools = [primary, ...this.#replicas.map((replica) => replica.pool)];
    this.#position = sharedRead(() => primaryPosition(this.#positions));
    this.db = routeReads(primary, (work) => this.#run(work));
    this.#timer = setInterval(() => void this.check(), CHECK_MS);
    this.#timer.unref();
  }

  get replicas(): ReplicaState[] {
    return this.#replicas.map(({ state }) => state);
  }

  next(): pg.Pool {
    return this.#leastBusy()?.pool ?? this.#primary;
  }

  /** Compares every replica with the primary, each at its own speed. */
  async check(): Promise<void> {
    await Promise.all(this.#replicas.map((replica) => replica.check(() => this.#ofPrimary())));
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#replicas.map((replica) => replica.close()));
    await this.#positions.end();
  }

  async #ofPrimary() {
    const identity = await serverIdentity(this.#positions);
    const position = await this.#position();
    return { identity, position };
  }

  async #run<T>(work: (db: pg.Pool) => Promise<T>): Promise<T> {
    const replica = await this.#current();
    if (replica) {
      try {
        const result = await work(replica.pool);
        replica.reads++;
        return result;
      } catch (error) {
        // One of them is a pool whose connections are all in use: the primary must not take that load as well.
        if (isSameEverywhere(error)) throw error;
        replica.failed++;
      }
    }
    this.primaryReads++;
    return work(this.#primary);
  }

  /** A replica that has everything the primary has now; undefined when there is none. */
  async #current(): Promise<Replica | undefined> {
    const replica = this.#leastBusy();
    if (!replica) return undefined;
    try {
      return (await replica.reaches(await this.#position())) ? replica : undefined;
    } catch {
      // Without the primary's position no replica is known to be current; the primary answers, or fails as it would alone.
      return undefined;
    }
  }

  #leastBusy(): Replica | undefined {
    let best: Replica | undefined;
    for (const replica of this.#replicas)
      if (replica.leftOut === null && (!best || replica.load < best.load)) best = replica;
    return best;
  }
}

/** Classes of SQLSTATE that follow from the statement itself, and the end of its time: the primary would say the same. */
const OF_THE_STATEMENT = /^(21|22|23|42|3F|57014)/;

const isSameEverywhere = (error: unknown): boolean =>
  error instanceof Failure || (error instanceof pg.DatabaseError && OF_THE_STATEMENT.test(error.code ?? ""));
