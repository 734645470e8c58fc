/** LISTEN for the users of a pool: one connection per pool, opened while there are listeners, reopened after a loss. */
import pg from "pg";
import { openClient } from "./connect.ts";

export type Notifications = {
  /**
   * Calls `wake` at every notification on `channel`, and with an empty payload after every (re)connection, because
   * notifications without a connection are lost. @returns a function that ends the subscription.
   */
  on(channel: string, wake: (payload: string) => void): () => void;
};

const RECONNECT_MS = 500;
const shared = new WeakMap<pg.Pool, Notifications>();

/** The notifications of the database that `pool` is connected to. */
export function notifications(pool: pg.Pool): Notifications {
  const known = shared.get(pool);
  if (known) return known;
  const created = listen(pool.options);
  shared.set(pool, created);
  return created;
}

function listen(options: pg.ClientConfig): Notifications {
  const listeners = new Map<string, Set<(payload: string) => void>>();
  let client: pg.Client | undefined;
  let retry: NodeJS.Timeout | undefined;

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
      if (listeners.size > 0) retry ??= setTimeout(reconnect, RECONNECT_MS);
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
        if (client)
          void subscribe(client, [channel])
            .then(() => wakes.forEach((one) => void one("")))
            .catch(() => {});
        else if (!retry) connect();
      }
      return () => {
        wakes.delete(wake);
        if (wakes.size > 0 || listeners.get(channel) !== wakes) return;
        listeners.delete(channel);
        const last = client;
        if (listeners.size > 0)
          return void (last && inTurn(last, `unlisten ${pg.escapeIdentifier(channel)}`).catch(() => {}));
        clearTimeout(retry);
        retry = undefined;
        client = undefined;
        last?.end().catch(() => {});
      };
    },
  };
}

async function subscribe(client: pg.Client, channels: string[]): Promise<void> {
  for (const channel of channels) await inTurn(client, `listen ${pg.escapeIdentifier(channel)}`);
}

/** The last statement of each connection. */
const turns = new WeakMap<pg.Client, Promise<unknown>>();

/** Sends a statement when those before it are answered: the driver's next version keeps no queue of its own. */
function inTurn(client: pg.Client, sql: string): Promise<unknown> {
  const before = turns.get(client) ?? Promise.resolve();
  const answered = before.then(
    () => client.query(sql),
    () => client.query(sql),
  );
  turns.set(client, answered);
  return answered;
}
