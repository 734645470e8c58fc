/** The service's processes on a database of their own, with a strict node as their only node. */
import { privateKeyToAddress } from "viem/accounts";
import { openPool } from "../../db/sql/connect.ts";
import { serviceEnv } from "../../devnet/deploy.ts";
import { GENEROUS_RATES } from "../../devnet/generous-rates.ts";
import { simulatedUpstreams } from "../../devnet/simulators/environment.ts";
import { freePort } from "../../runtime/free-port.ts";
import { CHILD_ENV } from "../child-env.ts";
import { Processes, type Spec } from "../simulation/processes.ts";
import type { ProfileName } from "../strict-node/profiles.ts";
import { startStrictNode } from "../strict-node/strict-node.ts";
import { until } from "../until.ts";
import type { ChainWorld } from "./chain-world.ts";

const READY_MS = 240_000;

export type StrictService = Awaited<ReturnType<typeof startStrictService>>;

/** Two APIs: at `urls.api` a registration costs nothing, at `urls.paid` it has its price. */
export async function startStrictService(world: ChainWorld, profile: ProfileName) {
  const node = await startStrictNode({ upstream: world.rpcUrl, profile });
  const databaseUrl = await world.serviceDatabase(`service-${profile}`);
  const [port, paidPort] = [await freePort(), await freePort()];
  const host = `127.0.0.1:${port}`;
  const shared = {
    ...CHILD_ENV,
    ...serviceEnv(world.devnet),
    ...simulatedUpstreams(world.simulatorUrl),
    ...GENEROUS_RATES,
    LOG_LEVEL: "warn",
    DATA_DIR: world.directory,
    DATABASE_URL: databaseUrl,
    RPC_URL: node.url,
    PUBLIC_URL: `http://${host}`,
  };
  const urls = { api: `http://${host}`, paid: `http://127.0.0.1:${paidPort}` };
  const api = (url: string, its: number, phase: string): Spec => ({
    process: "api",
    env: { ...shared, PORT: String(its), PRICING_PHASE: phase },
    health: `${url}/health`,
  });
  const processes = new Processes({
    indexer: { process: "indexer", env: shared },
    workers: { process: "workers", env: shared },
    api: api(urls.api, port, "free"),
    "api-2": api(urls.paid, paidPort, "paid"),
  });
  const db = openPool({ connectionString: databaseUrl, max: 2 });
  const service = {
    urls,
    host,
    db,
    node,
    processes,
    /** Where mints are paid to. */
    payee: privateKeyToAddress(world.devnet.keys.deployer),
    /** Resolves once the index is served. @throws Error when it is not within four minutes */
    async ready(): Promise<void> {
      for (const url of Object.values(urls))
        await until("the index is served", async () => (await fetch(`${url}/ready`)).ok, {
          ...{ timeoutMs: READY_MS, everyMs: 100 },
        });
    },
  };
  world.onClose(async () => {
    await processes.stop();
    await db.end();
    node.close();
  });
  return service;
}
