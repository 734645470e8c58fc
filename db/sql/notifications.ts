/**
 * What the users of a pool need a session for, LISTEN and locks that outlast a transaction: one connection per pool, opened
 * when something needs it, reopened after a loss, closed after a minute without use and with the pool.
 */
import type { Socket } from "node:net";
import pg from "pg";
import { openClient } from "./connect.ts";
import { tryLockText, unlockText } from "./locks.ts";
import { TurnPool } from "./turn-pool.ts";

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
   */
  whileLocked<T>(name: string, work: () => Promise<T>): Promise<T | null>;
};

const RECONNECT_MS = 500;
/** Milliseconds for which the connection stays without use: requests that wait for their block come one after another. */
const LINGER_MS = 60_000;
const shared = new WeakMap<pg.Pool, Notifications>();

/** The notifications of the database that `pool` is connected to. */
export function notifications(pool: pg.Pool): Notifications {
  const known = shared.get(pool);
  if (known) return known;
  const created = openSession(pool);
  shared.set(pool, created);
  return created;
}

function openSession(pool: pg.Pool): Notifications {
  const { options } = pool;
  const listeners = new Map<string, Set<(payload: string) => void>>();
  const locks = new Set<string>();
  let client: pg.Client | undefined;
  let retry: NodeJS.Timeout | undefined;
  let linger: NodeJS.Timeout | undefined;
  let isEnded = false;

  const close = () => {
    clearTimeout(retry);
    clearTimeout(linger);
    retry = undefined;
    const last = client;
    client = undefined;
    last?.end().catch(() => {});
  };
  if (pool instanceof TurnPool)
    pool.atEnd(() => {
      isEnded = true;
      close();
    });
  const closeWhenUnused = () => {
    if (listeners.size > 0 || locks.size > 0) return;
    if (isEnded || !client) return close();
    linger ??= setTimeout(close, LINGER_MS).unref();
    socketOf(client).unref();
  };
  const reuse = () => {
    clearTimeout(linger);
    linger = undefined;
    if (client) socketOf(client).ref();
    return client;
  };

  const wakeAll = () => {
    for (const wakes of listeners.values()) for (const wake of wakes) wake("");
  };

  function connect() {
    // pg makes the password of a pool's options non-enumerable, so a spread omits it.
    const { password } = options;
    const fresh = openClient({ ...options, password, application_name: "notifications", keepAlive: true });
    client = fresh;
    const lose = () => {
      if (client !== fresh) return;
      client = undefined;
      fresh.end().catch(() => {});
      if (listeners.size > 0 && !isEnded) retry ??= setTimeout(reconnect, RECONNECT_MS);
    };
    fresh.on("error", lose);
    fresh.on("end", lose);
    fresh.on("notification", ({ channel, payload }) => {
      for (const wake of listeners.get(channel) ?? []) wake(payload ?? "");
    });
    fresh
      .connect()
      .then(() => subscribe(fresh, [...listeners.keys()]))
      .then(wakeAll)
      .catch(lose);
    return fresh;
  }

  function reconnect() {
    retry = undefined;
    if (listeners.size > 0 && !client) connect();
  }

  return {
    on(channel, wake) {
      const wakes = listeners.get(channel) ?? new Set();
      wakes.add(wake);
      if (!listeners.has(channel)) {
        listeners.set(channel, wakes);
        const open = reuse();
        if (open)
          void subscribe(open, [channel])
            .then(() => wakes.forEach((one) => void one("")))
            .catch(() => {});
        else if (!retry) connect();
      }
      return () => {
        wakes.delete(wake);
        if (wakes.size > 0 || listeners.get(channel) !== wakes) return;
        listeners.delete(channel);
        if (client) inTurn(client, (on) => on.query(`unlisten ${pg.escapeIdentifier(channel)}`)).catch(() => {});
        closeWhenUnused();
      };
    },
    async whileLocked(name, work) {
      if (locks.has(name)) return null;
      locks.add(name);
      try {
        const session = reuse() ?? connect();
        if (!(await inTurn(session, (on) => tryLockText(on, name)))) return null;
        try {
          return await work();
        } finally {
          // A lost connection has released it.
          await inTurn(session, (on) => unlockText(on, name)).catch(() => {});
        }
      } finally {
        locks.delete(name);
        closeWhenUnused();
      }
    },
  };
}

const socketOf = (client: pg.Client) => client.connection.stream as Socket;

async function subscribe(client: pg.Client, channels: string[]): Promise<void> {
  for (const channel of channels) await inTurn(client, (on) => on.query(`listen ${pg.escapeIdentifier(channel)}`));
}

/** The last statement of each connection. */
const turns = new WeakMap<pg.Client, Promise<unknown>>();

/** Sends a statement when those before it are answered: the driver's next version keeps no queue of its own. */
function inTurn<T>(client: pg.Client, send: (client: pg.Client) => Promise<T>): Promise<T> {
  const before = turns.get(client) ?? Promise.resolve();
  const answered = before.then(
    () => send(client),
    () => send(client),
  );
  turns.set(client, answered);
  return answered;
}
