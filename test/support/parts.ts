/** The service's processes one by one on a chain and a database of their own, so that a test can kill each. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { overlaid } from "../../config/config.ts";
import { startAnvil } from "../../devnet/anvil.ts";
import { deployDevnet, serviceEnv } from "../../devnet/deploy.ts";
import { GENEROUS_RATES } from "../../devnet/generous-rates.ts";
import { CHILD_ENV, FREE_PHASE } from "../../harness/child-env.ts";
import { scratchDirectory } from "../../harness/scratch.ts";
import { type ServiceProcess, startProcess } from "../../harness/service-process.ts";
import { startBalancer, type Topology, topologyEnv } from "../../harness/topology.ts";
import { NAMED_BY_PARENT } from "../../runtime/faults.ts";
import { freePort } from "../../runtime/free-port.ts";
import { testDatabase } from "./database.ts";
import { onReplicaOfRun, topologyOfRun } from "./topology-of-run.ts";

/** `api-2` is a second API on the same database, for tests that need one to live while the other dies. */
export type PartName = "indexer" | "workers" | "api" | "api-2";

export type Parts = {
  apiUrl: string;
  /** Of `api-2`. */
  secondApiUrl: string;
  rpcUrl: string;
  databaseUrl: string;
  /** Host name for signed texts. */
  host: string;
  identity: `0x${string}`;
  /** Environment of every process, for others beside them. */
  env: Record<string, string>;
  /** Starts a process anew, or where there are to be two of it both; the API is waited for until it answers /health. */
  start(part: PartName, env?: Record<string, string>): Promise<void>;
  /** A running process will kill itself at this fault point; resolves once it knows. */
  arm(part: Exclude<PartName, "indexer">, faultPoint: string): Promise<void>;
  kill(part: PartName, signal?: NodeJS.Signals): void;
  /** Resolves when the process, or the first of two, has ended by itself or by a kill. */
  died(part: PartName): Promise<void>;
  /** What a process printed since it was last started. */
  output(part: PartName): string;
  stop(): Promise<void>;
};

export async function startParts({
  blockTimeSeconds,
  env: extra = {},
  topology = topologyOfRun(),
}: {
  blockTimeSeconds: number;
  /** The URLs that lead to the chain and the database are given; what is returned is added to the environment. */
  env?: Record<string, string> | ((chainUrl: string, databaseUrl: string) => Promise<Record<string, string>>);
  /** Two of the API, behind a balancer at `apiUrl`, and two workers; by default what the run asks for. */
  topology?: Topology | undefined;
}): Promise<Parts> {
  const directory = scratchDirectory("parts");
  const database = await testDatabase();
  const replica = await onReplicaOfRun(database.url);
  const chain = await startAnvil({ directory: join(directory, "chain"), blockTimeSeconds });
  const devnet = await deployDevnet(chain.url);
  const port = await freePort();
  const secondPort = await freePort();
  const host = `127.0.0.1:${port}`;
  const defaults = {
    ...CHILD_ENV,
    ...FREE_PHASE,
    LOG_LEVEL: "warn",
    ...GENEROUS_RATES,
    DATA_DIR: directory,
    DATABASE_URL: database.url,
    RPC_URL: chain.url,
    ...serviceEnv(devnet),
    PORT: String(port),
    PUBLIC_URL: `http://${host}`,
    POLL_INTERVAL_MS: "200",
    // As long as can be configured: a good answer comes when the chain has decided.
    MINT_WAIT_MS: "120000",
    FAULT_POINT: NAMED_BY_PARENT,
    ...(topology && topologyEnv(topology)),
    ...(replica && { READ_DATABASE_URLS: replica }),
  };
  const env = overlaid(defaults, typeof extra === "function" ? await extra(chain.url, database.url) : extra);
  const twins = topology && [await freePort(), await freePort()];
  const balancer = twins && (await startBalancer(twins, port));
  /** Where each process of a part listens; who does not listen has a place all the same. */
  const places = (part: PartName): number[] => {
    if (part === "api-2") return [secondPort];
    if (part === "api") return twins ?? [port];
    return part === "workers" && topology ? [0, 1] : [0];
  };
  const running = new Map<PartName, ServiceProcess[]>();
  /** The last start of each part: settles once its processes are there, whether or not they work yet. */
  const begunOf = new Map<PartName, Promise<unknown>>();
  const startOne = async (part: PartName, place: number, more: Record<string, string>) => {
    const isApi = part === "api" || part === "api-2";
    const own = overlaid({ ...env, ...(isApi && { PORT: String(place) }) }, more);
    const process = startProcess(isApi ? "api" : part, own);
    running.set(part, [...(running.get(part) ?? []), process]);
    if (isApi) await process.answers(`http://127.0.0.1:${place}/health`);
  };
  const endAll = (part: PartName) => Promise.all((running.get(part) ?? []).map((process) => process.stop()));
  const parts: Parts = {
    apiUrl: `http://${host}`,
    secondApiUrl: `http://127.0.0.1:${secondPort}`,
    rpcUrl: chain.url,
    databaseUrl: database.url,
    host,
    identity: devnet.contracts.identity,
    env,
    async start(part, more = {}) {
      // Of two, one may still be there when the other died.
      const begun = endAll(part).then(() => {
        running.delete(part);
        const ready = places(part).map(async (place, twin) =>
          // Two on one machine have their metrics at two ports.
          startOne(part, place, twin > 0 && env.OPS_PORT ? { ...more, OPS_PORT: String(await freePort()) } : more),
        );
        return { ready: Promise.all(ready) };
      });
      begunOf.set(part, begun);
      await (await begun).ready;
    },
    async arm(part, faultPoint) {
      await Promise.all(running.get(part)!.map((process) => armed(process, faultPoint)));
    },
    kill: (part, signal = "SIGKILL") => {
      for (const { child } of running.get(part)!) child.kill(signal);
    },
    async died(part) {
      await begunOf.get(part);
      await Promise.race(running.get(part)!.map(({ ended }) => ended));
    },
    output: (part) => (running.get(part) ?? []).map((process) => process.output()).join(""),
    async stop() {
      await Promise.all([...running.keys()].map(endAll));
      balancer?.close();
      await chain.stop();
      await database.drop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
  return parts;
}

/** Tells a process its fault point and waits for its word. */
async function armed({ child, ended }: ServiceProcess, faultPoint: string): Promise<void> {
  const heard = new Promise<void>((done) => {
    child.on("message", function hear(message: { faultPoint?: string }) {
      if (message.faultPoint !== faultPoint) return;
      child.off("message", hear);
      done();
    });
  });
  child.send({ faultPoint });
  await Promise.race([heard, ended.then(() => Promise.reject(new Error(`ended before it knew ${faultPoint}`)))]);
}
