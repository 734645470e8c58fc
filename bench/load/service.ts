/** The service under load: a database with agents in it, a node, and one process of the API. */
import { type ChildProcess, execFile, fork } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import type { ReadTimeouts } from "../../api/server.ts";
import { GENEROUS_RATES } from "../../devnet/generous-rates.ts";
import { removePostgres, startPostgres } from "../../devnet/postgres.ts";
import { scratchDirectory } from "../../harness/scratch.ts";
import type { Load, Loaded } from "../reads/load.ts";
import type { Start, Started, Stats } from "./api-process.ts";
import { startBareNode } from "./bare-node.ts";

export type LoadedApi = {
  url: string;
  pid: number;
  stats(): Promise<Stats>;
  stop(): Promise<void>;
};

export type LoadWorld = {
  /** Token ids go from 0 to here. */
  agents: number;
  /** Of the node: how often it was asked whether a wallet is a contract. */
  asked(): number;
  /** One more process of the API on the same agents, with an empty folder for cards. */
  startApi(options?: { env?: Record<string, string>; patience?: ReadTimeouts }): Promise<LoadedApi>;
  /** Keyed reads over so many connections, each with one request at a time. @param ids of the first so many agents; all of them */
  read(api: LoadedApi, connections: number, seconds: number, ids?: number): Promise<Loaded>;
  stop(): Promise<void>;
};

const START_MS = 180_000;
const HERE = import.meta.dirname;

/** @throws Error when something does not start */
export async function startWorld(agents: number): Promise<LoadWorld> {
  const directory = scratchDirectory("load", { onDisk: true });
  const postgres = await startPostgres({ dataDir: join(directory, "pg"), fast: true });
  await promisify(execFile)(process.execPath, [join(HERE, "../list/world.ts"), postgres.url, String(agents)]);
  const node = await startBareNode();
  const reader = fork(join(HERE, "../reads/load.ts"));
  const apis: LoadedApi[] = [];
  return {
    agents,
    asked: () => node.asked,
    async startApi({ env = {}, patience } = {}) {
      const child = fork(join(HERE, "api-process.ts"), {
        env: {
          PATH: dirname(process.execPath),
          PUBLIC_URL: "https://agents.example",
          DATABASE_URL: postgres.url,
          DATA_DIR: join(directory, `data-${apis.length}`),
          RPC_URL: node.url,
          LOG_LEVEL: "error",
          ...GENEROUS_RATES,
          RATE_READS_PER_CLIENT: "1000000000",
          ...env,
        },
      });
      const api = await started(child, patience);
      apis.push(api);
      return api;
    },
    async read(api, connections, seconds, ids = agents) {
      const load: Load = { url: api.url, path: "/api/v2/agent/*", ids, connections, forMs: seconds * 1000 };
      reader.send(load);
      const [loaded] = (await once(reader, "message")) as [Loaded];
      return loaded;
    },
    async stop() {
      reader.kill();
      await Promise.all(apis.map((api) => api.stop()));
      node.stop();
      await postgres.stop();
      await removePostgres(join(directory, "pg"));
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function started(child: ChildProcess, patience: ReadTimeouts | undefined): Promise<LoadedApi> {
  child.send({ patience } satisfies Start);
  const { port } = await Promise.race([
    told<Started>(child, "port"),
    once(child, "exit").then(() => Promise.reject(new Error("the API ended at its start"))),
  ]);
  const url = `http://127.0.0.1:${port}`;
  const ends = performance.now() + START_MS;
  // The block that is served is read a moment after the start.
  while (!(await fetch(`${url}/api/v2/agent/0`)).ok) {
    if (performance.now() > ends) throw new Error("the API did not begin to answer");
    await new Promise((done) => setTimeout(done, 50));
  }
  return {
    url,
    pid: child.pid!,
    async stats() {
      child.send("stats");
      return told<Stats>(child, "cards");
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}

/** The next message with this key: a service says other things to whoever started it as well. */
async function told<T extends object>(child: ChildProcess, key: keyof T): Promise<T> {
  const signal = AbortSignal.timeout(START_MS);
  for (;;) {
    const [message] = (await once(child, "message", { signal })) as [T];
    if (typeof message === "object" && message !== null && key in message) return message;
  }
}
