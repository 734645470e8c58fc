/** What the service of a simulation rests on: one chain, one database and simulated upstreams; and the environment of its processes. */
import { migrate } from "../../db/schema/migrate.ts";
import { openPool } from "../../db/sql/connect.ts";
import { deployDevnet, serviceEnv } from "../../devnet/deploy.ts";
import { GENEROUS_RATES } from "../../devnet/generous-rates.ts";
import { ensureDatabase } from "../../devnet/postgres.ts";
import { startSimulators } from "../../devnet/simulators/server.ts";
import { simulatedUpstreams } from "../../devnet/simulators/upstreams.ts";
import { freePort } from "../../runtime/free-port.ts";
import { CHILD_ENV } from "../child-env.ts";
import type { Later } from "../closers.ts";
import { startSimulatedChain } from "./chain.ts";
import type { Spec } from "./processes.ts";

const BLOCK_MS = 400;

/** @param of.database its name, on a server that is there @param of.directory where the processes keep files */
export async function openService(later: Later, of: { adminUrl: string; database: string; directory: string }) {
  const databaseUrl = await ensureDatabase(of.adminUrl, of.database);
  await migrate(databaseUrl);
  const db = openPool({ connectionString: databaseUrl, max: 4 });
  later(() => db.end());
  const chain = await startSimulatedChain(BLOCK_MS);
  later(() => chain.stop());
  const devnet = await deployDevnet(chain.url);
  const simulators = await startSimulators();
  later(() => simulators.stop());
  const ports = { api: await freePort(), "api-2": await freePort() };
  const host = `127.0.0.1:${ports.api}`;
  const urls = { api: `http://${host}`, "api-2": `http://127.0.0.1:${ports["api-2"]}` };
  return {
    ...{ databaseUrl, db, chain, devnet, host, urls, simulatorUrl: simulators.url },
    /** Of every process; it names no node. */
    env: {
      ...{ ...CHILD_ENV, ...serviceEnv(devnet), ...simulatedUpstreams(simulators.url), ...GENEROUS_RATES },
      ...{ LOG_LEVEL: "warn", DATA_DIR: of.directory, DATABASE_URL: databaseUrl, PUBLIC_URL: urls.api },
    },
    /** One of the two APIs. */
    api: (part: keyof typeof ports, env: Record<string, string>): Spec => ({
      process: "api",
      env: { ...env, PORT: String(ports[part]) },
      health: `${urls[part]}/health`,
    }),
  };
}
