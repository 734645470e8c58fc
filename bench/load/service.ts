/** The service under load: a database with agents in it, a node, and one process of the API. */
import { join } from "node:path";
import type { ReadTimeouts } from "../../api/server.ts";
import { overlaid } from "../../config/config.ts";
import { runToEnd, startChild } from "../../harness/child.ts";
import { startPlainNode } from "../../harness/plain-node.ts";
import { openPostgres } from "../../harness/scratch-postgres.ts";
import { until } from "../../harness/until.ts";
import type { Load, LoadResult } from "../reads/load.ts";
import { AGENT } from "../reads/rounds.ts";
import { environment, startLoad } from "../reads/servers.ts";
import type { ApiAddress, Start, Stats } from "./api-process.ts";

export type LoadedApi = Awaited<ReturnType<typeof startLoaded>>;
export type LoadWorld = Awaited<ReturnType<typeof startWorld>>;

const START_MS = 180_000;

/** @throws Error when something does not start */
export async function startWorld(agents: number) {
  const at = await openPostgres("load", { fast: true });
  try {
    await runToEnd(join(import.meta.dirname, "../synthetic/world.ts"), at.postgres.url, agents);
    let asked = 0;
    // No wallet is a contract, so that every bad signature ends there.
    const node = await startPlainNode((method) => {
      if (method === "eth_getCode") asked++;
      return "0x";
    });
    at.later(() => node.close());
    const reader = startLoad(at);
    let started = 0;
    return {
      stop: at.close,
      /** Token ids go from 0 to here. */
      agents,
      /** How often the node was asked whether a wallet is a contract. */
      asked: () => asked,
      /** Starts one more process of the API on the same agents, with an empty folder for cards. */
      async startApi({ env = {}, patience }: { env?: Record<string, string>; patience?: ReadTimeouts } = {}) {
        const own = { DATA_DIR: join(at.directory, `data-${started++}`), RPC_URL: node.url, ...env };
        const api = await startLoaded(overlaid(environment(at), own), patience);
        at.later(() => api.stop());
        return api;
      },
      /** Keyed reads of the first `ids` agents, or of another path, over a number of connections, one request at a time on each. */
      read: (api: LoadedApi, connections: number, seconds: number, { ids = agents, path = AGENT } = {}) =>
        reader.asks<LoadResult>({
          ...{ url: api.url, path, ids, connections },
          forMs: seconds * 1000,
        } satisfies Load),
    };
  } catch (error) {
    await at.close();
    throw error;
  }
}

async function startLoaded(env: Record<string, string>, patience: ReadTimeouts | undefined) {
  const child = startChild(join(import.meta.dirname, "api-process.ts"), [], env);
  /** The next message with this key: the process sends messages of other kinds as well. */
  const messageWith = async <T extends object>(key: keyof T): Promise<T> => {
    for (;;) {
      const message = await child.hears<T>();
      if (typeof message === "object" && message !== null && key in message) return message;
    }
  };
  child.process.send({ patience } satisfies Start);
  const url = `http://127.0.0.1:${(await messageWith<ApiAddress>("port")).port}`;
  // The block that is served is read a moment after the start.
  await until("the API answers", async () => (await fetch(`${url}/api/v2/agent/0`)).ok, { timeoutMs: START_MS });
  return {
    ...{ url, pid: child.pid },
    stats() {
      child.process.send("stats");
      return messageWith<Stats>("cards");
    },
    stop: child.stop,
  };
}
