/** The world of a simulation: the whole service on one chain, one database, one Redis and simulated upstreams, with something breakable in front of each. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { encodeFunctionData, type Hex, parseEther, type TransactionReceipt } from "viem";
import { type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { usdcAbi } from "../../abis/usdc.ts";
import { createLocalFacilitator } from "../../clients/facilitator-local.ts";
import { createSigner } from "../../clients/signer.ts";
import { migrate } from "../../db/schema/migrate.ts";
import { openPool } from "../../db/sql/connect.ts";
import { CANONICAL } from "../../devnet/chain-addresses.ts";
import { devnetCast } from "../../devnet/chain-keys.ts";
import { isAlive } from "../../devnet/data-dir.ts";
import { deployDevnet, serviceEnv } from "../../devnet/deploy.ts";
import { GENEROUS_RATES } from "../../devnet/generous-rates.ts";
import { ensureDatabase, removePostgres, startPostgres } from "../../devnet/postgres.ts";
import { simulatedUpstreams } from "../../devnet/simulators/environment.ts";
import { startSimulators } from "../../devnet/simulators/server.ts";
import { freePort } from "../../runtime/free-port.ts";
import { chainAt } from "../chain-at.ts";
import { CHILD_ENV } from "../child-env.ts";
import { type Later, withClosers } from "../closers.ts";
import { LONG } from "../patience.ts";
import { startTroubledFacilitator } from "../payment-load/facilitator.ts";
import { openChainClient } from "../payment-load/wallets.ts";
import { REDIS_BINARY, startRedisPair } from "../redis.ts";
import { scratchDirectory } from "../scratch.ts";
import { tcpProxy } from "../tcp-proxy.ts";
import { nextNonce, signCall } from "../transactions.ts";
import { startTroubledNode } from "../troubled-node.ts";
import { until } from "../until.ts";
import { startSimulatedChain } from "./chain.ts";
import { type Part, type Spec, startProcesses } from "./processes.ts";

const BLOCK_MS = 400;
/** USDC that all customers of all rounds share. */
const MONEY_UNITS = 10_000_000_000_000n;
/** After which a transaction that a reorganisation may have dropped is waited for no longer. */
const DROPPED_MS = 5_000;

export type World = Awaited<ReturnType<typeof startWorld>>;

export type WorldOptions = {
  /** Given the way to end everything as soon as anything has been started. */
  onWorld?: ((close: () => Promise<void>) => void) | undefined;
};

export const startWorld = ({ onWorld }: WorldOptions = {}) =>
  withClosers((later, close) => {
    onWorld?.(close);
    return build(later, close);
  });

async function build(later: Later, close: () => Promise<void>) {
  const directory = scratchDirectory("simulation");
  later(() => rmSync(directory, { recursive: true, force: true }));

  const dataDir = join(directory, "pg");
  let server = await startPostgres({ dataDir, fast: true });
  later(() => removePostgres(dataDir));
  const postgres = {
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
  const databaseUrl = await ensureDatabase(server.url, "simulation");
  await migrate(databaseUrl);
  const db = openPool({ connectionString: databaseUrl, max: 4 });
  later(() => db.end());

  const chain = await startSimulatedChain(BLOCK_MS);
  later(() => chain.stop());
  const devnet = await deployDevnet(chain.url);
  const cast = devnetCast();
  const chainClient = openChainClient(chain.url);

  const redis = REDIS_BINARY ? await startRedisPair() : null;
  if (redis) later(() => redis.stop());
  const simulators = await startSimulators();
  later(() => simulators.stop());
  const facilitator = await startTroubledFacilitator(
    createLocalFacilitator(chainAt(chain.url), createSigner(devnet.keys.facilitator, 8453)),
  );
  later(() => facilitator.close());

  const [forApi, forWorkers, forIndexer] = await Promise.all([1, 2, 3].map(() => startTroubledNode(chain.url)));
  const nodes = { api: forApi!, workers: forWorkers!, indexer: forIndexer! };
  later(() => Object.values(nodes).forEach((node) => void node.close()));
  const toDatabase = { host: "127.0.0.1", port: server.port };
  const [lineApi, lineWorkers, lineIndexer] = await Promise.all([1, 2, 3].map(() => tcpProxy(toDatabase)));
  const lines = { api: lineApi!, workers: lineWorkers!, indexer: lineIndexer! };
  later(() => Promise.all(Object.values(lines).map((line) => line.close())));
  const redisLine = redis ? await tcpProxy(redis.place) : null;
  if (redisLine) later(() => redisLine.close());

  const port = await freePort();
  const secondPort = await freePort();
  const host = `127.0.0.1:${port}`;
  const through = (line: { port: number }) => {
    const url = new URL(databaseUrl);
    url.port = String(line.port);
    return url.href;
  };
  const limits = Object.fromEntries(
    [
      ...["READS_PER_CLIENT", "WRITES_PER_CLIENT", "WRITES_PER_CALLER", "PAYMENTS_PER_CALLER", "PROOFS_PER_CALLER"],
      ...["MESSAGES_PER_MEMBER", "MESSAGES_PER_GROUP"],
    ].map((name) => [`RATE_${name}`, "0"]),
  );
  const shared = {
    ...CHILD_ENV,
    ...serviceEnv(devnet),
    ...simulatedUpstreams(simulators.url),
    ...GENEROUS_RATES,
    ...limits,
    LOG_LEVEL: "warn",
    DATA_DIR: directory,
    PUBLIC_URL: `http://${host}`,
    POLL_INTERVAL_MS: "300",
    MINT_WAIT_MS: "3000",
    PAYMENT_WAIT_MS: "3000",
    FACILITATOR_TIMEOUT_MS: "1500",
    FACILITATOR_URL: facilitator.url,
    PRICING_PHASE: "paid",
    PAYMENT_CONFIRMATIONS: "2",
    TX_STUCK_SECONDS: "3",
    ...(redisLine && { REDIS_URL: `redis://127.0.0.1:${redisLine.port}` }),
  };
  const envOf = (who: keyof typeof nodes, own: Record<string, string> = {}) => ({
    ...shared,
    RPC_URL: nodes[who].url,
    DATABASE_URL: through(lines[who]),
    ...own,
  });
  const urls = { api: `http://${host}`, "api-2": `http://127.0.0.1:${secondPort}` };
  const api = (part: "api" | "api-2", its: number): Spec => ({
    process: "api",
    env: envOf("api", { PORT: String(its) }),
    health: `${urls[part]}/health`,
  });
  const specs: Record<Part, Spec> = {
    indexer: { process: "indexer", env: envOf("indexer"), mayEnd: /is of chain 1, but CHAIN_ID/ },
    workers: { process: "workers", env: envOf("workers"), mayEnd: /workers cannot start/ },
    "workers-2": { process: "workers", env: envOf("workers"), mayEnd: /workers cannot start/ },
    api: api("api", port),
    "api-2": api("api-2", secondPort),
  };
  const processes = startProcesses(specs);
  later(() => processes.stop());

  const queues = new Map<string, Promise<unknown>>();
  const world = {
    directory,
    postgres,
    databaseUrl,
    db,
    chain,
    chainClient,
    devnet,
    cast,
    identity: devnet.contracts.identity,
    sender: privateKeyToAccount(devnet.keys.deployer).address,
    redis,
    redisLine,
    simulators,
    facilitator,
    nodes,
    lines,
    processes,
    urls,
    host,
    /** Environment of the indexer, to index the same chain once more elsewhere. */
    indexerEnv: { ...envOf("indexer"), RPC_URL: chain.url },
    /** By how much a process's clock is wrong, in milliseconds. */
    skewMs: { api: 0, "api-2": 0 },
    /**
     * Sends a transaction, one of an account after the other.
     * @returns null when it was not mined in time: nobody minds, the chain is the truth
     */
    send(
      account: PrivateKeyAccount,
      to: Hex,
      data: Hex,
      { value = 0n, timeoutMs = DROPPED_MS }: { value?: bigint; timeoutMs?: number } = {},
    ): Promise<TransactionReceipt | null> {
      const before = queues.get(account.address) ?? Promise.resolve();
      const sent = before.then(() => sendNow(account, to, data, { value, timeoutMs }));
      queues.set(
        account.address,
        sent.catch(() => {}),
      );
      return sent;
    },
    /** Tells a simulator something, or all of them to be well again. */
    async control(method: "PUT" | "POST" | "DELETE", path: string, body?: unknown): Promise<void> {
      const response = await fetch(`${simulators.url}/_control/${path}`, {
        method,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    },
    close,
  };
  async function sendNow(account: PrivateKeyAccount, to: Hex, data: Hex, how: { value: bigint; timeoutMs: number }) {
    const { value, timeoutMs } = how;
    const { raw } = await signCall(account, await nextNonce(chain.chain, account), { to, data, value });
    const hash = await chain.chain.sendRawTransaction({ serializedTransaction: raw }).catch(() => null);
    if (hash === null) return null;
    const found = until("a transaction", () => chain.chain.getTransactionReceipt({ hash }).catch(() => null), {
      ...{ timeoutMs, everyMs: 100 },
    });
    return found.catch(() => null);
  }

  const operator = privateKeyToAccount(cast.operator);
  const rich = cast.accounts[0]!.address;
  const minted = await world.send(
    operator,
    CANONICAL.usdc,
    encodeFunctionData({ abi: usdcAbi, functionName: "mint", args: [rich, MONEY_UNITS] }),
    { timeoutMs: LONG },
  );
  if (minted?.status !== "success") throw new Error("the simulation's money could not be made");
  await chain.chain.setBalance({ address: rich, value: parseEther("1000") });
  await Promise.all((["api", "api-2"] as const).map((part) => processes.ready(part)));
  await until(
    "the first index",
    async () => {
      const answers = await Promise.all(Object.values(urls).map((url) => fetch(`${url}/ready`)));
      return answers.every(({ ok }) => ok);
    },
    { timeoutMs: 400_000, everyMs: 300 },
  );
  return world;
}
