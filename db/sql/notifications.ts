/**
 * What the users of a pool need a session for, LISTEN and locks that outlast a transaction: one connection per pool, opened
 * when something needs it, reopened after a loss, closed after a minute without use and with the pool.
 */
import type { Socket } from "node:net";
import pLimit from "p-limit";
import pg from "pg";
import { madeOnce } from "../../runtime/once.ts";
import { openClient } from "./connect.ts";
import { tryLockTexts, unlockTexts } from "./locks.ts";
import { TOO_MANY } from "./session-client.ts";
import { TurnPool } from "./turn-pool.ts";
import { overloaded } from "./turns.ts";

export type Notifications = {
  /**
   * Calls `wake` at every notification on `channel`, and with an empty payload after every (re)connection, because
   * notifications without a connection are lost. @returns a function that ends the subscription.
   */
  on(channel: string, wake: (payload: string) => void): () => void;
  /**
   * Runs `work` while it alone has the lock of a name, in all processes. A lost connection gives the lock to others.
   * Check then write: nobody here has the lock, then it is taken; no await, and the database decides between processes.
   * @returns null, without `work`, while another has the lock
   * @throws Failure overloaded, without `work`, where the server refuses further connections
   */
  whileLocked<T>(name: string, work: () => Promise<T>): Promise<T | null>;
  /**
   * Likewise with several names, asked for at once: `work` gets those whose lock no other has, and is called also where
   * that is none of them.
   */
  whileAnyLocked<T>(names: readonly string[], work: (mine: readonly string[]) => Promise<T>): Promise<T>;
};

const RECONNECT_MS = 500;
/** Milliseconds for which the connection stays without use: requests that wait for their block come one after another. */
const LINGER_MS = 60_000;

/** The notifications of the database that `pool` is connected to. */
export const notifications = madeOnce((pool: pg.Pool): Notifications => new PoolSession(pool));

class PoolSession implements Notifications {
  readonly #options: pg.ClientConfig;
  readonly #listeners = new Map<string, Set<(payload: string) => void>>();
  readonly #locks = new Set<string>();
  #client: pg.Client | undefined;
  #retry: NodeJS.Timeout | undefined;
  #linger: NodeJS.Timeout | undefined;
  #isEnded = false;
  /** The server has refused the last connection: it has no more. */
  #isRefused = false;

  constructor(pool: pg.Pool) {
    this.#options = pool.options;
    if (!(pool instanceof TurnPool)) return;
    pool.atEnd(() => {
      this.#isEnded = true;
      this.#close();
    });
  }

  on(channel: string, wake: (payload: string) => void): () => void {
    const wakes = this.#listeners.get(channel) ?? new Set();
    wakes.add(wake);
    if (!this.#listeners.has(channel)) {
      this.#listeners.set(channel, wakes);
      const open = this.#reuse();
      if (open)
        void subscribe(open, [channel])
          .then(() => wakes.forEach((one) => void one("")))
          .catch(() => {});
      else if (!this.#retry) this.#connect();
    }
    return () => {
      wakes.delete(wake);
      if (wakes.size > 0 || this.#listeners.get(channel) !== wakes) return;
      this.#listeners.delete(channel);
      const unlisten = `unlisten ${pg.escapeIdentifier(channel)}`;
      if (this.#client) inTurn(this.#client, (on) => on.query(unlisten)).catch(() => {});
      this.#closeWhenUnused();
    };
  }

  whileLocked<T>(name: string, work: () => Promise<T>): Promise<T | null> {
    return this.whileAnyLocked([name], async (mine) => (mine.length > 0 ? work() : null));
  }

  async whileAnyLocked<T>(names: readonly string[], work: (mine: readonly string[]) => Promise<T>): Promise<T> {
    const free = names.filter((name) => !this.#locks.has(name));
    if (free.length === 0) return work([]);
    for (const name of free) this.#locks.add(name);
    try {
      const session = this.#reuse() ?? this.#connect();
      const mine = await inTurn(session, (on) => tryLockTexts(on, { names: free })).catch((error) => {
        throw this.#isRefused ? overloaded() : error;
      });
      try {
        return await work(mine);
      } finally {
        // A lost connection has released them.
        if (mine.length > 0) await inTurn(session, (on) => unlockTexts(on, { names: mine })).catch(() => {});
      }
    } finally {
      for (const name of free) this.#locks.delete(name);
      this.#closeWhenUnused();
    }
  }

  #connect(): pg.Client {
    // pg makes the password of a pool's options non-enumerable, so a spread omits it.
    const { password } = this.#options;
    const fresh = openClient({ ...this.#options, password, application_name: "notifications", keepAlive: true });
    this.#client = fresh;
    const lose = () => {
      if (this.#client !== fresh) return;
      this.#client = undefined;
      fresh.end().catch(() => {});
      if (this.#listeners.size > 0 && !this.#isEnded) this.#retry ??= setTimeout(() => this.#reconnect(), RECONNECT_MS);
    };
    fresh.on("error", lose);
    fresh.on("end", lose);
    fresh.on("notification", ({ channel, payload }) => {
      for (const wake of this.#listeners.get(channel) ?? []) wake(payload ?? "");
    });
    fresh
      .connect()
      .then(() => subscribe(fresh, [...this.#listeners.keys()]))
      .then(() => {
        this.#isRefused = false;
        for (const wakes of this.#listeners.values()) for (const wake of wakes) wake("");
      })
      .catch((error) => {
        this.#isRefused = error.code === TOO_MANY;
        lose();
      });
    return fresh;
  }

  #reconnect(): void {
    this.#retry = undefined;
    if (this.#listeners.size > 0 && !this.#client) this.#connect();
  }

  #close(): void {
    clearTimeout(this.#retry);
    clearTimeout(this.#linger);
    this.#retry = undefined;
    this.#linger = undefined;
    const last = this.#client;
    this.#client = undefined;
    last?.end().catch(() => {});
  }

  #closeWhenUnused(): void {
    if (this.#listeners.size > 0 || this.#locks.size > 0) return;
    if (!this.#client || this.#isEnded) {
      this.#close();
      return;
    }
    this.#linger ??= setTimeout(() => this.#close(), LINGER_MS).unref();
    socketOf(this.#client).unref();
  }

  /** The connection that is open, if one is: it is used again. */
  #reuse(): pg.Client | undefined {
    clearTimeout(this.#linger);
    this.#linger = undefined;
    if (this.#client) socketOf(this.#client).ref();
    return this.#client;
  }
}

const socketOf = (client: pg.Client) => client.connection.stream as Socket;

async function subscribe(client: pg.Client, channels: string[]): Promise<void> {
  for (const channel of channels) await inTurn(client, (on) => on.query(`listen ${pg.escapeIdentifier(channel)}`));
}

const turnsOf = madeOnce((_: pg.Client) => pLimit(1));

/** Sends a statement when those before it are answered: the driver's next version keeps no queue of its own. */
const inTurn = <T>(client: pg.Client, send: (client: pg.Client) => Promise<T>): Promise<T> =>
  turnsOf(client)(send, client);
