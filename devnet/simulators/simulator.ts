/** What a simulator is: one upstream in its own shapes, what it holds, and its control. */
import { type Context, Hono } from "hono";
import type { Collection, SimulatedWorld } from "./world-file.ts";

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
