/** The world of a simulation: the whole service on one chain, one database, one Redis and simulated upstreams, with something breakable in front of each. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Hex, TransactionReceipt } from "viem";
import { type PrivateKeyAccount, privateKeyToAddress } from "viem/accounts";
import { createLocalFacilitator } from "../../clients/facilitator-local.ts";
import { createSigner } from "../../clients/signer.ts";
import { migrate } from "../../db/schema/migrate.ts";
import { openPool } from "../../db/sql/connect.ts";
import type { ContractCall } from "../../devnet/contract-call.ts";
import { deployDevnet, serviceEnv } from "../../devnet/deploy.ts";
import { GENEROUS_RATES } from "../../devnet/generous-rates.ts";
import { ensureDatabase, removePostgres, startPostgres } from "../../devnet/postgres.ts";
import { startSimulators } from "../../devnet/simulators/server.ts";
import { simulatedUpstreams } from "../../devnet/simulators/upstreams.ts";
import { isAlive } from "../../devnet/start-program.ts";
import { freePort } from "../../runtime/free-port.ts";
import type { testChain } from "../agent-wallet.ts";
import { chainAt } from "../chain-at.ts";
import { CHILD_ENV } from "../child-env.ts";
import { type Later, withClosers } from "../closers.ts";
import { startTroubledFacilitator } from "../payment-load/facilitator.ts";
import { openChainClient } from "../payment-load/wallets.ts";
import { REDIS_BINARY, startRedisPair } from "../redis.ts";
import { scratchDirectory } from "../scratch.ts";
import { controlOf } from "../simulator-control.ts";
import { tcpProxy } from "../tcp-proxy.ts";
import { nextNonce, signCall } from "../transactions.ts";
import { startTroubledNode } from "../troubled-node.ts";
import { until } from "../until.ts";
import { startSimulatedChain } from "./chain.ts";
import type { Side } from "./plan.ts";
import { Processes, type Spec } from "./processes.ts";

const BLOCK_MS = 400;
/** After which a transaction that a reorganisation may have dropped is waited for no longer. */
const DROPPED_MS = 5_000;
/** Settings of a service that waits no longer than a round has time for, without limits of requests. */
const IMPATIENT = {
  LOG_LEVEL: "warn",
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
  const databaseUrl = await ensureDatabase(postgres.adminUrl, "simulation");
  await migrate(databaseUrl);
  const db = openPool({ connectionString: databaseUrl, max: 4 });
  later(() => db.end());
  const chain = await startSimulatedChain(BLOCK_MS);
  later(() => chain.stop());
  const devnet = await deployDevnet(chain.url);
  const simulators = await startSimulators();
  later(() => simulators.stop());
  const asked = await startBreakableUpstreams(later, {
    chainUrl: chain.url,
    databaseUrl,
    key: devnet.keys.facilitator,
  });
  const { redisLine, facilitator, nodes, lines } = asked;

  const control = controlOf(simulators.url);
  const ports = { api: await freePort(), "api-2": await freePort() };
  const host = `127.0.0.1:${ports.api}`;
  const urls = { api: `http://${host}`, "api-2": `http://127.0.0.1:${ports["api-2"]}` };
  const shared = {
    ...CHILD_ENV,
    ...serviceEnv(devnet),
    ...simulatedUpstreams(simulators.url),
    ...GENEROUS_RATES,
    ...IMPATIENT,
    DATA_DIR: directory,
    PUBLIC_URL: urls.api,
    FACILITATOR_URL: facilitator.url,
    ...(redisLine && { REDIS_URL: `redis://127.0.0.1:${redisLine.port}` }),
  };
  const envOf = (side: Side) => {
    const through = Object.assign(new URL(databaseUrl), { port: String(lines[side].port) });
    return { ...shared, RPC_URL: nodes[side].url, DATABASE_URL: through.href };
  };
  const api = (part: "api" | "api-2"): Spec => ({
    process: "api",
    env: { ...envOf("api"), PORT: String(ports[part]) },
    health: `${urls[part]}/health`,
  });
  const workers: Spec = { process: "workers", env: envOf("workers"), mayEnd: /workers cannot start/ };
  const processes = new Processes({
    indexer: { process: "indexer", env: envOf("indexer"), mayEnd: /is of chain 1, but CHAIN_ID/ },
    workers,
    "workers-2": workers,
    api: api("api"),
    "api-2": api("api-2"),
  });
  later(() => processes.stop());
  await Promise.all((["api", "api-2"] as const).map((part) => processes.ready(part)));
  await until("the first index", () => allAnswer(urls, "/ready"), { timeoutMs: 400_000, everyMs: 300 });
  return {
    ...{ postgres, databaseUrl, db, chain, devnet, processes, urls, host },
    ...asked,
    chainClient: openChainClient(chain.url),
    identity: devnet.contracts.identity,
    sender: privateKeyToAddress(devnet.keys.deployer),
    /** Environment of the indexer, to index the same chain once more elsewhere. */
    indexerEnv: { ...envOf("indexer"), RPC_URL: chain.url },
    /** By how much a process's clock is wrong, in milliseconds. */
    skewMs: { api: 0, "api-2": 0 },
    send: senderOn(chain.chain),
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

/** What sends transactions, those of one account one after the other. */
function senderOn(chain: ReturnType<typeof testChain>) {
  const queues = new Map<string, Promise<unknown>>();
  type Sent = { value?: bigint; timeoutMs?: number };

  async function sendNow(account: PrivateKeyAccount, call: ContractCall, { value = 0n, timeoutMs = DROPPED_MS }: Sent) {
    const { raw } = await signCall(account, await nextNonce(chain, account), { ...call, value });
    const hash = await chain.sendRawTransaction({ serializedTransaction: raw }).catch(() => null);
    if (hash === null) return null;
    const found = until("a transaction", () => chain.getTransactionReceipt({ hash }).catch(() => null), {
      ...{ timeoutMs, everyMs: 100 },
    });
    return found.catch(() => null);
  }
  /** @returns null when it was not mined in time: the oracle compares with the chain alone */
  return (account: PrivateKeyAccount, call: ContractCall, how: Sent = {}): Promise<TransactionReceipt | null> => {
    const before = queues.get(account.address) ?? Promise.resolve();
    const sent = before.then(() => sendNow(account, call, how));
    queues.set(
      account.address,
      sent.catch(() => {}),
    );
    return sent;
  };
}
