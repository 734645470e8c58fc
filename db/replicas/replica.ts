/** One streaming replica: its connections, how far it has replayed, and whether reads may go to it. */
import type pg from "pg";
import type { LeftOut } from "../../core/operations/connection-plan.ts";
import { readPostgresUrl, shownAddress } from "../../core/operations/postgres-url.ts";
import { inTime } from "../../runtime/in-time.ts";
import { sharedRead } from "../../runtime/once.ts";
import { openPool, type PoolConfig } from "../sql/connect.ts";
import { replicaPosition, type ServerIdentity, serverIdentity, serverOf } from "./wal.ts";

/** A replica as operators see it; times in milliseconds. */
export type ReplicaState = {
  /** Host and port: never a password. */
  name: string;
  /** Null while it takes reads. */
  leftOut: LeftOut | null;
  /** How long ago it was last seen to have everything that the primary had; null before it ever was. */
  lagMs: number | null;
  reads: number;
  /** Reads that failed there and were answered by the primary. */
  failed: number;
};

export type ReplicaOptions = {
  url: string;
  pool: Pick<PoolConfig, "max" | "turnMs" | "statement_timeout" | "application_name">;
  /** Max milliseconds until it must have replayed a position. */
  maxLagMs: number;
  /** Has the primary write out its WAL: called when a position is not there after a few milliseconds. */
  flush(): void;
  onChange(replica: Replica, error?: unknown): void;
};

/** Max milliseconds of a question about its position: beyond it the server counts as gone. */
const ANSWER_MS = 1_000;
/** Milliseconds without the position after which the primary is to write out its WAL. */
const FLUSH_AFTER_MS = 5;
/** Milliseconds between two questions while it has not replayed a position. */
const STEP_MS = 2;

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

export class Replica {
  readonly name: string;
  readonly pool: pg.Pool;
  readonly #options: ReplicaOptions;
  readonly #monitor: pg.Pool;
  readonly #clients = new Set<pg.PoolClient>();
  readonly #askPosition: () => Promise<void>;
  /** The run of the server that was verified; connections to any other are refused. */
  #server: string | undefined;
  #checking: Promise<void> | undefined;
  #replayed = -1n;
  #caughtUpAt: number | undefined;
  leftOut: LeftOut | null = "unreachable";
  reads = 0;
  failed = 0;

  constructor(options: ReplicaOptions) {
    this.name = readPostgresUrl(options.url).addresses.map(shownAddress).join(",");
    this.#options = options;
    this.#monitor = openPool({
      connectionString: options.url,
      application_name: "replica-monitor",
      max: 1,
      connectionTimeoutMillis: ANSWER_MS,
      query_timeout: ANSWER_MS,
    });
    this.pool = openPool({
      connectionString: options.url,
      ...options.pool,
      connectionTimeoutMillis: ANSWER_MS,
      // Writes are refused there also after the server was promoted.
      options: "-c default_transaction_read_only=on",
      verify: (client, done) => void this.#verify(client).then(() => done(), done),
    });
    this.pool.on("connect", (client) => {
      this.#clients.add(client);
      // Its loss shows in the statement that runs on it; while it is verified nothing else listens.
      client.on("error", () => {});
    });
    this.pool.on("remove", (client) => this.#clients.delete(client));
    // A server that does not answer must not hold a read for longer than one that lags.
    this.#askPosition = sharedRead(() => inTime(this.#readPosition(), options.maxLagMs, () => {}));
  }

  get state(): ReplicaState {
    const { name, leftOut, reads, failed } = this;
    const lagMs = this.#caughtUpAt === undefined ? null : performance.now() - this.#caughtUpAt;
    return { name, leftOut, reads, failed, lagMs: leftOut === null ? 0 : lagMs };
  }

  /** Reads under way and waiting. */
  get load(): number {
    const { totalCount, idleCount, waitingCount } = this.pool;
    return totalCount - idleCount + waitingCount;
  }

  /**
   * Whether it has replayed a position within `maxLagMs`. One that has not gets no reads until `check` finds that it has
   * caught up: the next read does not wait for it again.
   */
  async reaches(position: bigint): Promise<boolean> {
    if (this.leftOut === null && this.#replayed >= position) return true;
    const reached = await this.#replays(position, () => this.leftOut === null);
    if (!reached) this.leaveOut("lagging");
    return reached && this.leftOut === null;
  }

  /**
   * Compares the server with the primary and decides whether reads may go to it.
   * One check at a time. @param primary is read after the replica: one of the same history cannot be ahead of it then
   */
  check(primary: () => Promise<{ identity: ServerIdentity; position: bigint }>): Promise<void> {
    this.#checking ??= this.#check(primary).finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  async #check(primary: () => Promise<{ identity: ServerIdentity; position: bigint }>): Promise<void> {
    try {
      const own = await serverIdentity(this.#monitor);
      const { identity, position } = await primary();
      const refused = refusal(own, identity);
      if (refused) return this.leaveOut(refused);
      if (this.#server !== own.server) {
        // After a restart a server may be behind what it had replayed before.
        this.#server = own.server;
        this.#replayed = -1n;
      }
      const startedAt = performance.now();
      if (!(await this.#replays(position, () => true))) return this.leaveOut(own.paused ? "paused" : "lagging");
      this.#caughtUpAt = startedAt;
      this.#comeBack();
    } catch (error) {
      this.leaveOut("unreachable", error);
    }
  }

  /** Gives it no more reads. Statements under way at a server that does not answer are ended, and go to the primary. */
  leaveOut(reason: LeftOut, error?: unknown): void {
    if (reason === "unreachable") for (const client of this.#clients) void endNow(client);
    // A read that only timed out knows less than the check that found the reason.
    if (this.leftOut === reason || (reason === "lagging" && this.leftOut !== null)) return;
    this.leftOut = reason;
    this.#options.onChange(this, error);
  }

  async close(): Promise<void> {
    await this.#checking;
    await Promise.all([this.pool.end(), this.#monitor.end()]);
  }

  #comeBack(): void {
    if (this.leftOut === null) return;
    this.leftOut = null;
    this.#options.onChange(this);
  }

  async #replays(position: bigint, worthIt: () => boolean): Promise<boolean> {
    const began = performance.now();
    let flushed = false;
    for (;;) {
      await this.#askPosition();
      if (this.#replayed >= position) return true;
      const waited = performance.now() - began;
      if (waited >= this.#options.maxLagMs || !worthIt()) return false;
      if (!flushed && waited >= FLUSH_AFTER_MS) {
        flushed = true;
        this.#options.flush();
      }
      await sleep(STEP_MS);
    }
  }

  async #readPosition(): Promise<void> {
    const { server, replayed } = await replicaPosition(this.#monitor);
    if (replayed === null) return this.leaveOut("not_a_replica");
    if (server !== this.#server) return this.leaveOut("unreachable");
    this.#replayed = replayed;
  }

  /** An address may lead to another server than the one whose position is known: after a restart, or behind a balancer. */
  async #verify(client: pg.PoolClient): Promise<void> {
    if ((await serverOf(client)) !== this.#server)
      throw new Error(`${this.name} is another server than the one verified`);
  }
}

function refusal(own: ServerIdentity, primary: ServerIdentity): LeftOut | null {
  if (own.cluster !== primary.cluster) return "other_cluster";
  if (!own.isReplica) return "not_a_replica";
  if (own.timeline !== primary.timeline) return "other_timeline";
  return own.position > primary.position ? "ahead_of_primary" : null;
}

/** Ends a connection without waiting for the statement that runs on it: that one fails at once. */
const endNow = (client: pg.PoolClient) => (client as unknown as pg.Client).end().catch(() => {});
