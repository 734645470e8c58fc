/** The world of one profile of a strict run: PostgreSQL, a development chain with the contracts, simulated upstreams, and the service on them, with a strict node as its only node. */
import { privateKeyToAddress } from "viem/accounts";
import { migrate } from "../../db/schema/migrate.ts";
import { openPool } from "../../db/sql/connect.ts";
import { deployDevnet, serviceEnv } from "../../devnet/deploy.ts";
import { GENEROUS_RATES } from "../../devnet/generous-rates.ts";
import { ensureDatabase } from "../../devnet/postgres.ts";
import { startSimulators } from "../../devnet/simulators/server.ts";
import { simulatedUpstreams } from "../../devnet/simulators/upstreams.ts";
import { freePort } from "../../runtime/free-port.ts";
import { testChain } from "../agent-wallet.ts";
import { CHILD_ENV } from "../child-env.ts";
import { withClosers } from "../closers.ts";
import { openPostgres } from "../scratch-postgres.ts";
import { startSimulatedChain } from "../simulation/chain.ts";
import { Processes, type Spec } from "../simulation/processes.ts";
import type { ProfileName } from "../strict-node/profiles.ts";
import { startStrictNode } from "../strict-node/strict-node.ts";
import { until } from "../until.ts";

const BLOCK_MS = 400;
/** Anvil takes seconds for a thousand. */
const MINED_AT_ONCE = 100;
const READY_MS = 240_000;

export type StrictWorld = Awaited<ReturnType<typeof startStrictWorld>>;

/**
 * Two APIs: at `urls.api` a registration costs nothing, at `urls.paid` it has its price.
 * @param blocks empty blocks after the contracts, so that a search of the past is wider than a profile allows
 */
export const startStrictWorld = (profile: ProfileName, blocks: number) =>
  withClosers(async (later, close) => {
    const { postgres, directory, close: closePostgres } = await openPostgres("strict", { fast: true });
    later(closePostgres);
    const chain = await startSimulatedChain(BLOCK_MS);
    later(() => chain.stop());
    const devnet = await deployDevnet(chain.url);
    for (let mined = 0; mined < blocks; mined += MINED_AT_ONCE)
      await chain.mine(Math.min(MINED_AT_ONCE, blocks - mined));
    const simulators = await startSimulators();
    later(() => simulators.stop());
    const node = await startStrictNode({ upstream: chain.url, profile });
    later(() => node.close());
    const databaseUrl = await ensureDatabase(postgres.url, `service-${profile}`);
    await migrate(databaseUrl);
    const db = openPool({ connectionString: databaseUrl, max: 2 });
    later(() => db.end());
    const [port, paidPort] = [await freePort(), await freePort()];
    const host = `127.0.0.1:${port}`;
    const urls = { api: `http://${host}`, paid: `http://127.0.0.1:${paidPort}` };
    const shared = {
      ...CHILD_ENV,
      ...serviceEnv(devnet),
      ...simulatedUpstreams(simulators.url),
      ...GENEROUS_RATES,
      LOG_LEVEL: "warn",
      DATA_DIR: directory,
      DATABASE_URL: databaseUrl,
      RPC_URL: node.url,
      PUBLIC_URL: urls.api,
    };
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
    later(() => processes.stop());
    return {
      ...{ urls, host, db, processes, identity: devnet.contracts.identity },
      /** What the service asks. */
      node,
      /** The chain itself, which refuses nothing. */
      chain: testChain(chain.url),
      /** Where mints are paid to. */
      payee: privateKeyToAddress(devnet.keys.deployer),
      /** An empty database of this name. @returns its URL */
      emptyDatabase: (name: string) => ensureDatabase(postgres.url, name),
      /** Resolves once the index is served. @throws Error when it is not within four minutes */
      async ready(): Promise<void> {
        for (const url of Object.values(urls))
          await until("the index is served", async () => (await fetch(`${url}/ready`)).ok, {
            ...{ timeoutMs: READY_MS, everyMs: 100 },
          });
      },
      /** Ends everything once, also in the middle of a run. */
      close,
    };
  });
