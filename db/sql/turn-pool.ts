/**
 * A pool of connections whose users take turns. Three things have a limit each: waiting for a turn (`turnMs`), connecting
 * (LimitedClient), and a server that refuses further connections, which is busy and not away.
 * Bound: connections, `max` of each pool; those who wait for one, `turnMs`.
 */
import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { isUnanswered } from "./limited-client.ts";
import { TOO_MANY } from "./session-client.ts";
import { overloaded, Turns } from "./turns.ts";

/** Milliseconds for which a pool asks for no further connection after one was refused. */
const FULL_MS = 10_000;
/** Milliseconds between two attempts of a pool that has no connection at all. */
const RETRY_MS = 250;

/** Milliseconds without a byte from the server, while statements wait, after which it is asked on a new connection. */
const SILENT_MS = 250;
/** Milliseconds between two such questions: a statement may take long. */
const ASK_MS = 5_000;

type Options = pg.PoolOptions & { turnMs: number; noticesSilence?: boolean };
type OnConnection = (error: Error | undefined, client: pg.PoolClient | undefined, done: () => void) => void;

export class TurnPool extends pg.Pool {
  declare options: Options;
  readonly #turns: Turns;
  readonly #open = new Set<pg.PoolClient>();
  readonly #endUse = new WeakMap<pg.PoolClient, () => void>();
  /** Connections that the server gave before it refused one, and until when. */
  #full = { kept: 0, until: 0 };
  readonly #atEnd = new Set<() => void>();
  #isWatched = false;
  #askedAt = Number.NEGATIVE_INFINITY;
  #onFull: (kept: number) => void = () => {};

  /**
   * @param config `turnMs`: max milliseconds that a user of the pool waits for a connection; `noticesSilence`: statements
   *   that wait for an answer end with an error soon after the server's host has vanished
   */
  constructor(config: pg.PoolConfig & { turnMs: number; noticesSilence?: boolean | undefined }) {
    super(config);
    this.#turns = new Turns({ capacity: () => this.#capacity(), waitMs: () => this.options.turnMs });
    this.on("connect", (client) => void this.#open.add(client));
    this.on("remove", (client) => void this.#open.delete(client));
    this.on("release", (_, client) => this.#endUse.get(client)?.());
  }

  /** Opens connections before they are needed; what prevents it shows in their first use. */
  async warm(count: number): Promise<void> {
    const opened = await Promise.allSettled(Array.from({ length: count }, () => this.connect()));
    for (const one of opened) if (one.status === "fulfilled") one.value.release();
  }

  /** Calls `work` when the pool is ended: what was opened beside it ends with it. */
  atEnd(work: () => void): void {
    this.#atEnd.add(work);
  }

  override end(): Promise<void>;
  override end(callback: () => void): void;
  override end(callback?: () => void): Promise<void> | undefined {
    for (const work of this.#atEnd) work();
    if (!callback) return super.end();
    super.end(callback);
  }

  /** Is called when the server refuses a further connection, at most every ten seconds. */
  set onFull(listener: (kept: number) => void) {
    this.#onFull = listener;
  }

  // @ts-expect-error: pg has an accessor too, which its types show as a property.
  override get waitingCount(): number {
    return this.#turns.waiting;
  }

  /** Whether a newcomer would wait too long. */
  get isOverloaded(): boolean {
    return this.#turns.isTooLong;
  }

  /**
   * @throws Failure overloaded after `turnMs`; the connection's error when the server refuses, or answers neither this
   *   attempt nor anyone else: then all who wait get that error
   */
  override connect(): Promise<pg.PoolClient>;
  override connect(callback: OnConnection): void;
  override connect(callback?: OnConnection): Promise<pg.PoolClient> | undefined {
    const taken = this.#take();
    if (!callback) return taken;
    taken.then(
      (client) => callback(undefined, client, client.release),
      (error) => callback(error, undefined, () => {}),
    );
  }

  async #take(): Promise<pg.PoolClient> {
    const ends = performance.now() + this.options.turnMs;
    for (;;) {
      const endUse = await this.#turns.enter(ends - performance.now());
      const received = this.bytesReceived;
      try {
        const client = await super.connect();
        this.#endUse.set(client, endUse);
        this.#watch();
        return client;
      } catch (error) {
        const isFull = (error as { code?: unknown }).code === TOO_MANY;
        const isBusy = isUnanswered(error) && this.bytesReceived > received;
        if (isFull) await this.#keepToWhatIsOpen();
        // Before the place is given back, so that they do not try one after another.
        if (isUnanswered(error) && !isBusy) this.#turns.refuseWaiting(error);
        endUse(false);
        if (!isFull && !isBusy) throw error;
        if (performance.now() > ends) throw overloaded();
      }
    }
  }

  /** Bytes that the server has sent on the open connections: what grows shows that it lives, however slow it is. */
  get bytesReceived(): number {
    let sum = 0;
    for (const { connection } of this.#open) sum += (connection.stream as Socket).bytesRead;
    return sum;
  }

  /** Notices silence while connections are in use. A host that vanished, or a line that was cut, closes none of them. */
  #watch(): void {
    if (this.#isWatched || !this.options.noticesSilence) return;
    this.#isWatched = true;
    const received = this.bytesReceived;
    setTimeout(async () => {
      const isSilent = this.bytesReceived === received && this.#turns.underWay > 0;
      if (isSilent && performance.now() - this.#askedAt > ASK_MS) await this.#askWhetherItLives(received);
      this.#isWatched = false;
      if (this.#turns.underWay > 0) this.#watch();
    }, SILENT_MS).unref();
  }

  /** Ends all connections where neither a new one is answered nor any of them in the meantime. */
  async #askWhetherItLives(received: number): Promise<void> {
    this.#askedAt = performance.now();
    const Client = this.options.Client as unknown as typeof pg.Client;
    const client = new Client(this.options);
    client.on("error", () => {});
    try {
      await client.connect();
    } catch (error) {
      if (!isUnanswered(error) || this.bytesReceived !== received) return;
      for (const { connection } of this.#open) (connection.stream as Socket).destroy(error as Error);
      this.#turns.refuseWaiting(error);
    } finally {
      void client.end().catch(() => {});
    }
  }

  #capacity(): number {
    const { kept, until } = this.#full;
    return performance.now() < until ? Math.max(1, Math.min(kept, this.options.max)) : this.options.max;
  }

  async #keepToWhatIsOpen(): Promise<void> {
    const wasFull = performance.now() < this.#full.until;
    this.#full = { kept: this.totalCount, until: performance.now() + FULL_MS };
    if (!wasFull) this.#onFull(this.totalCount);
    if (this.totalCount === 0) await pause(RETRY_MS);
  }
}

/** Refuses the newest requests while a pool has more to do than it can: a refusal at once can be retried. @throws Failure overloaded */
export function admit(pool: pg.Pool): void {
  if (pool instanceof TurnPool && pool.isOverloaded) throw overloaded();
}

/** Bytes that a pool has received on the connections that are open. */
export const bytesReceived = (pool: pg.Pool): number => (pool instanceof TurnPool ? pool.bytesReceived : 0);
