/** Connections beside the pools: to listen, to hold a lock, to follow a table. Who loses one asks for another until it is there. */
import { setTimeout as pause } from "node:timers/promises";
import type pg from "pg";

/** too_many_connections: of the server, the database or the role. */
export const TOO_MANY = "53300";

/** Milliseconds before an attempt after the first refusal, twice as long after each further one, and at most. */
const [FIRST_MS, MOST_MS] = [500, 5_000];
/** Refusals in a row by servers that have no connection left, by role and server. */
const refusals = new Map<string, number>();

/**
 * Before it connects, the client waits when the server has refused this process: longer each time, and not as long as
 * others, which would come back together.
 * @param wait ends after as many milliseconds
 */
export function backingOff(client: pg.Client, wait: (ms: number) => Promise<unknown> = pause): pg.Client {
  const server = `${client.user}@${client.host}:${client.port}`;
  const connect = client.connect.bind(client) as () => Promise<pg.Client>;
  const end = client.end.bind(client) as () => Promise<void>;
  let isEnded = false;
  return Object.assign(client, {
    async connect() {
      const refused = refusals.get(server) ?? 0;
      if (refused > 0) await wait(Math.min(FIRST_MS * 2 ** (refused - 1), MOST_MS) * (0.5 + Math.random() / 2));
      if (isEnded) throw new Error("The connection was ended before it was made.");
      try {
        await connect();
        refusals.delete(server);
        return client;
      } catch (error) {
        if ((error as { code?: unknown }).code === TOO_MANY) refusals.set(server, refused + 1);
        throw error;
      }
    },
    end() {
      isEnded = true;
      return end();
    },
  });
}
