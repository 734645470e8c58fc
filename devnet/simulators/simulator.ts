/** What a simulator is: one upstream in its own shapes, what it holds between runs, its request window, and its control. */

import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { type Context, Hono } from "hono";

export type Simulator = {
  /** Names it in `/_control/fail`; also the first segment of its URL. */
  source: string;
  /** Further first segments that are the same upstream. */
  aliases?: readonly string[];
  /** The upstream's own API. */
  api: Hono;
  /** What it has at the root, as the one host that all simulators are. */
  root?: Hono;
  /** Its control, mounted at `/_control/<source>`, or elsewhere below `/_control`. */
  control?: Hono;
  controlPath?: string;
  /** How the upstream itself would word a failure. */
  failure?(status: number): { body: unknown; headers?: Record<string, string> };
};

/**
 * @param parts.baseUrl under which all simulators are reached
 * @param parts.rows number of rows that a registry makes up from its start on; 0: only those it was given
 * @param parts.rpcUrl of the development chain that payments are settled on; absent where there is none
 * @param parts.hang never answers; gets the first segment of the request
 */
export type MakeSimulator = (parts: {
  world: SimulatedWorld;
  baseUrl: string;
  rows: number;
  rpcUrl?: string | undefined;
  hang: Hang;
}) => Simulator;

export type Hang = (segment: string) => Promise<never>;

/** A simulator, and the variables of the service that lead to it. */
export type SimulatedUpstream = {
  /** @param url of all simulators */
  environment(url: string): Readonly<Record<string, string>>;
  make: MakeSimulator;
};

/** A simulated platform of social proofs. */
export type SimulatedPlatform = SimulatedUpstream & {
  /**
   * An account that shows a proof.
   * @param shows the needle (`helixa:12`) @param prefix lower-case name of the service
   * @returns where the account is planted below `/_control`, with which body, and how it is claimed
   */
  account(name: string, id: number, shows: string, prefix: string): { path: string; planted: object; claim: object };
};

/** A simulated registry. */
export type SimulatedRegistry = {
  make: MakeSimulator;
  /** Agents that the seeded world lets it list; 0 for one that lists what is on the chain. */
  seeded: number;
};

/** Any key: the simulators check that there is one, not which. */
export const ANY_KEY = "simulated";

/** JSON with any status and headers; an absent body is an empty one. */
export function reply(body: unknown, status = 200, headers: Record<string, string> = {}): Response {
  const text = body === undefined ? null : JSON.stringify(body);
  return new Response(text, {
    status,
    headers: { "content-type": "application/json; charset=utf-8", ...headers },
  });
}

/** `PUT`, `GET` and `DELETE` of the entries of a collection. @param read checks what was put, with the key it gets */
export function control<T>(path: string, entries: Collection<T>, read: (key: string, body: unknown) => T): Hono {
  const app = new Hono();
  const keyed = `${path}/:key`;
  app.put(keyed, async (c) => {
    const entry = read(c.req.param("key") ?? "", await c.req.json());
    entries.set(keyOf(c), entry);
    return reply(entry);
  });
  app.get(keyed, (c) => {
    const entry = entries.get(keyOf(c));
    return entry === undefined ? reply({ error: "not planted" }, 404) : reply(entry);
  });
  app.delete(keyed, (c) => reply({ deleted: entries.delete(keyOf(c)) }));
  return app;
}

const keyOf = (c: Context) => (c.req.param("key") ?? "").toLowerCase();

/** Entries by lower-case key. */
export type Collection<T> = {
  get(key: string): T | undefined;
  set(key: string, entry: T): void;
  delete(key: string): boolean;
  values(): T[];
};

export type SimulatedWorld = {
  /** The collection of a name; the same each time. */
  collection<T>(name: string): Collection<T>;
};

/** @param file JSON; without one nothing outlives the process */
export function simulatedWorld(file?: string): SimulatedWorld {
  const stored: Record<string, Record<string, unknown>> = file && existsSync(file)
    ? JSON.parse(readFileSync(file, "utf8"))
    : {};
  const save = () => {
    if (!file) return;
    // Written to a second file and renamed, so that a kill leaves the old file or the new one.
    writeFileSync(`${file}.new`, JSON.stringify(stored), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  };
  return {
    collection<T>(name: string): Collection<T> {
      const entries = new Map(Object.entries(stored[name] ?? {})) as Map<string, T>;
      const keep = () => {
        stored[name] = Object.fromEntries(entries);
        save();
      };
      return {
        get: (key) => entries.get(key),
        values: () => [...entries.values()],
        set(key, entry) {
          entries.set(key, entry);
          keep();
        },
        delete(key) {
          const there = entries.delete(key);
          if (there) keep();
          return there;
        },
      };
    },
  };
}

export type RequestWindow = ReturnType<typeof requestWindow>;

/** @param limit requests of one window @param seconds length of a window, which starts with its first request */
export function requestWindow(limit: number, seconds: number) {
  let most = limit;
  let used = 0;
  let reset = 0;
  return {
    /** Counts a request. `refused`: the window was used up before it. `reset`: end of the window, Unix seconds. */
    take() {
      const now = Math.floor(Date.now() / 1000);
      if (now >= reset) {
        used = 0;
        reset = now + seconds;
      }
      const refused = used >= most;
      if (!refused) used++;
      return { limit: most, used, remaining: most - used, reset, refused };
    },
    /** Starts a new window with this limit. */
    restart(next: number) {
      most = next;
      reset = 0;
    },
  };
}
