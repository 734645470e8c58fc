/** The world of a simulation: the whole service on one chain, one database, one Redis and simulated upstreams, with something breakable in front of each. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Hex } from "viem";
import { privateKeyToAddress } from "viem/accounts";
import { createLocalFacilitator } from "../../clients/facilitator-local.ts";
import { createSigner } from "../../clients/signer.ts";
import { removePostgres, startPostgres } from "../../devnet/postgres.ts";
import { isAlive } from "../../devnet/start-program.ts";
import { chainAt } from "../chain-at.ts";
import { type Later, withClosers } from "../closers.ts";
import { startTroubledFacilitator } from "../payment-load/facilitator.ts";
import { openChainClient } from "../payment-load/wallets.ts";
import { REDIS_BINARY, startRedisPair } from "../redis.ts";
import { scratchDirectory } from "../scratch.ts";
import { controlOf } from "../simulator-control.ts";
import { tcpProxy } from "../tcp-proxy.ts";
import { sendingOn } from "../transactions.ts";
import { startTroubledNode } from "../troubled-node.ts";
import { until } from "../until.ts";
import type { Side } from "./plan.ts";
import { Processes, type Spec } from "./processes.ts";
import { openService } from "./service.ts";

/** Settings of a service that waits no longer than a round has time for, without limits of requests. */
const IMPATIENT = {
  POLL_INTERVAL_MS: "300",
  MINT_WAIT_MS: "3000",
  PAYMENT_WAIT_MS: "3000",
  FACILITATOR_TIMEOUT_MS: "1500",
  PRICING_PHASE: "paid",
  PAYMENT_CONFIRMATIONS: "2",
  TX_STUCK_SECONDS: "3",
  LIMITS: "reads=0,writes-by-network=0,writes=0,payments=0,proofs=0,messages=0,messages-of-group=0",
};

export type World = Awaited<ReturnType<typeof startWorld>>;

export const startWorld = () => withClosers(build);

async function build(later: Later, close: () => Promise<void>) {
  const directory = scratchDirectory("simulation");
  later(() => rmSync(directory, { recursive: true, force: true }));
  const postgres = await startBreakablePostgres(join(directory, "pg"), later);
  const service = await openService(later, { adminUrl: postgres.adminUrl, database: "simulation", directory });
  const { chain, devnet, databaseUrl, urls } = service;
  const asked = await startBreakableUpstreams(later, {
    chainUrl: chain.url,
    databaseUrl,
    key: devnet.keys.facilitator,
  });
  const { redisLine, facilitator, nodes, lines } = asked;

  const control = controlOf(service.simulatorUrl);
  const shared = {
    ...service.env,
    ...IMPATIENT,
    FACILITATOR_URL: facilitator.url,
    ...(redisLine && { REDIS_URL: `redis://127.0.0.1:${redisLine.port}` }),
  };
  const envOf = (side: Side) => {
    const through = Object.assign(new URL(databaseUrl), { port: String(lines[side].port) });
    return { ...shared, RPC_URL: nodes[side].url, DATABASE_URL: through.href };
  };
  const workers: Spec = { process: "workers", env: envOf("workers"), mayEnd: /workers cannot start/ };
  const processes = new Processes({
    indexer: { process: "indexer", env: envOf("indexer"), mayEnd: /is of chain 1, but CHAIN_ID/ },
    workers,
    "workers-2": workers,
    api: service.api("api", envOf("api")),
    "api-2": service.api("api-2", envOf("api")),
  });
  later(() => processes.stop());
  await Promise.all((["api", "api-2"] as const).map((part) => processes.ready(part)));
  await until("the first index", () => allAnswer(urls, "/ready"), { timeoutMs: 400_000, everyMs: 300 });
  return {
    ...{ postgres, databaseUrl, chain, devnet, processes, urls, db: service.db, host: service.host },
    ...asked,
    chainClient: openChainClient(chain.url),
    identity: devnet.contracts.identity,
    sender: privateKeyToAddress(devnet.keys.deployer),
    /** Environment of the indexer, to index the same chain once more elsewhere. */
    indexerEnv: { ...envOf("indexer"), RPC_URL: chain.url },
    /** By how much a process's clock is wrong, in milliseconds. */
    skewMs: { api: 0, "api-2": 0 },
    send: sendingOn(chain.chain),
    /** Changes a simulator's state, or ends its faults. */
    async control(...[method, path, body]: Parameters<typeof control>): Promise<void> {
      const response = await control(method, path, body);
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    },
    close,
  };
}

/** Whether every API answers a path with success. */
export async function allAnswer(urls: Record<string, string>, path: string): Promise<boolean> {
  const answers = await Promise.all(Object.values(urls).map((url) => fetch(url + path)));
  return answers.every(({ ok }) => ok);
}

/** What the service asks, each with something in front of it that breaks. @param of.key of the facilitator */
async function startBreakableUpstreams(later: Later, of: { chainUrl: string; databaseUrl: string; key: Hex }) {
  const redis = REDIS_BINARY ? await startRedisPair() : null;
  if (redis) later(() => redis.stop());
  const redisLine = redis ? await tcpProxy(redis.place) : null;
  if (redisLine) later(() => redisLine.close());
  const facilitator = await startTroubledFacilitator(
    createLocalFacilitator(chainAt(of.chainUrl), createSigner(of.key, 8453)),
  );
  later(() => facilitator.close());
  const nodes = await forEachSide(() => startTroubledNode(of.chainUrl));
  later(() => Object.values(nodes).forEach((node) => void node.close()));
  const database = { host: "127.0.0.1", port: Number(new URL(of.databaseUrl).port) };
  const lines = await forEachSide(() => tcpProxy(database));
  later(() => Promise.all(Object.values(lines).map((line) => line.close())));
  return { redis, redisLine, facilitator, nodes, lines };
}

/** One for each of those who ask for data. */
async function forEachSide<T>(start: () => Promise<T>): Promise<Record<Side, T>> {
  const [api, workers, indexer] = await Promise.all([start(), start(), start()]);
  return { api, workers, indexer };
}

async function startBreakablePostgres(dataDir: string, later: Later) {
  let server = await startPostgres({ dataDir, fast: true });
  later(() => removePostgres(dataDir));
  return {
    /** Immediate shutdown, as a crash. */
    async crash() {
      process.kill(server.pid, "SIGQUIT");
      await until("Postgres is down", () => !isAlive(server.pid));
    },
    async start() {
      if (!isAlive(server.pid)) server = await startPostgres({ dataDir, fast: true, port: server.port });
    },
    /** URL of the database `postgres`, for what is done to the service's from outside. */
    adminUrl: server.url,
  };
}
