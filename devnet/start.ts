/** `npm start`: the whole service on this machine, real and local, from nothing; see README. */
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { Listr, PRESET_TIMER } from "listr2";
import { type Config, childEnvironment, loadConfig } from "../config/config.ts";
import { ConfigError } from "../config/variable.ts";
import { contractUriOf } from "../core/links.ts";
import { migrate } from "../db/schema/migrate.ts";
import { portOr } from "../runtime/free-port.ts";
import { bindTo, urlAt } from "../runtime/listen-address.ts";
import { buildWeb, webIsStale } from "../web/build.ts";
import { startAnvil } from "./anvil.ts";
import { claim, dataDir, release, runningSupervisor } from "./data-dir.ts";
import { deployDevnet, serviceEnv, setContractUri } from "./deploy.ts";
import { GENEROUS_RATES } from "./generous-rates.ts";
import { ensureDatabase, ensureRoles, startPostgres } from "./postgres.ts";
import { printReady, type Stack, writeDevnet } from "./ready.ts";
import { seed } from "./seed.ts";
import { MAX_ROWS } from "./simulators/registries/registry.ts";
import { simulatedUpstreams } from "./simulators/upstreams.ts";
import { releaseMemory } from "./small-memory.ts";
import { Supervisor } from "./supervisor.ts";
import { deployTempo, tempoEnv } from "./tempo.ts";

/** A problem the operator can solve; shown as one sentence. */
class StartError extends Error {}

/** Public, like the accounts of the development chain. */
const DEV_WEBHOOK_KEY = `0x${"de".repeat(32)}`;

const empty = process.argv.includes("--empty");
/** `--rows N`: number of agents that each simulated registry generates; undefined: only the planted ones. */
const rows = process.argv.includes("--rows") ? process.argv[process.argv.indexOf("--rows") + 1] : undefined;
/** DATABASE_POOL of a stack on one machine: all processes together hold 30 connections at most. */
const POOL = 4;

const stack = { stops: [], starting: new Set(), env: {} } as unknown as Stack;
let stopping: Promise<void> | undefined;
const stopAll = () => {
  stopping ??= (async () => {
    await Promise.allSettled(stack.starting);
    for (const stop of stack.stops.toReversed()) await stop();
  })();
  return stopping;
};
const end = async () => {
  await stopAll();
  process.exit(0);
};
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, end);
// Who read what it says has gone.
for (const output of [process.stdout, process.stderr]) output.on("error", end);

try {
  stack.config = loadConfig(undefined, { followStack: false });
  await tasks().run(stack);
  if (!stopping) printReady(stack);
  releaseMemory();
} catch (error) {
  // A stop by a signal ends the steps that run with errors of their own.
  const stopped = stopping !== undefined;
  await stopAll();
  if (!stopped) console.error(explain(error));
  process.exit(stopped ? 0 : 1);
}

function tasks() {
  const timer = { rendererOptions: { timer: PRESET_TIMER }, fallbackRendererOptions: { timer: PRESET_TIMER } };
  return new Listr<Stack>(
    [
      { title: "Check the data directory and the port", task: prepare },
      {
        title: "Database, chains and terminal",
        task: (_, task) =>
          task.newListr(
            [
              { title: "PostgreSQL", task: () => starting(prepareDatabase) },
              { title: "Chain 8453", enabled: ownChain, task: () => starting(startChain) },
              {
                title: "Chain 4217, for payments by MPP",
                // Only with a chain of its own: money of a simulated chain must not buy what money of a real one buys.
                enabled: () => ownChain() && !stack.config.mpp,
                task: () => starting(startTempo),
              },
              { title: "Web terminal", enabled: webIsStale, task: () => starting(buildWeb) },
            ],
            { concurrent: true },
          ),
      },
      { title: "Indexer, workers and API", task: startProcesses },
      {
        title: "Seed a small world",
        enabled: () => ownChain() && !empty && !existsSync(dataDir(stack.config.dataDir).seeded),
        task: (_, task) => seedWorld((line) => (task.output = line)),
      },
      { title: "Write devnet.json", enabled: ownChain, task: () => writeDevnet(stack) },
    ],
    { concurrent: false, exitOnError: true, registerSignalListeners: false, ...timer },
  );
}

async function prepare(): Promise<void> {
  const { config } = stack;
  if (process.argv.includes("--rows") && !(/^[1-9]\d{0,6}$/.test(rows ?? "") && Number(rows) <= MAX_ROWS))
    throw new StartError(`--rows takes a number from 1 to ${MAX_ROWS}.`);
  if (!ownChain() && config.pricing.phase === "paid" && !config.payments.payTo)
    throw new StartError(
      "PRICING_PHASE is paid: set PAY_TO_DEPLOYER and PAY_TO_TREASURY, the addresses that are paid, or PRICING_PHASE=free.",
    );
  const directory = dataDir(config.dataDir);
  const other = runningSupervisor(directory);
  if (other)
    throw new StartError(`The stack is already running on ${config.dataDir} (process ${other}): stop it first.`);
  await portIsFree(config.http.port, config.http.host);
  stack.indexUrl = `http://localhost:${config.indexer.port ?? (await portOr(config.http.port + 1))}`;
  stack.env.INDEXER_PORT = new URL(stack.indexUrl).port;
  stack.env.INDEXER_URL = stack.indexUrl;
  claim(directory);
  stack.stops.push(() => release(directory));
}

async function portIsFree(port: number, host: string): Promise<void> {
  const server = createServer().listen(bindTo(host, port));
  await once(server, "listening").catch(({ code }: NodeJS.ErrnoException) => {
    const reason = code === "EADDRINUSE" ? "is taken: stop what uses it, or set PORT" : `cannot be used (${code})`;
    throw new StartError(`Port ${port} ${reason}.`);
  });
  await once(server.close(), "close");
}

/** Runs a part's start. While it runs, `stopAll` waits for it: nothing that was started is left running. */
function starting(start: () => Promise<void>): Promise<void> {
  const started = start();
  stack.starting.add(started);
  const over = () => void stack.starting.delete(started);
  started.then(over, over);
  return started;
}

/** The database of its own, unless one is configured, with the service's tables. */
async function prepareDatabase(): Promise<void> {
  if (!stack.config.database.url) await startDatabase();
  await migrate(stack.env.MIGRATION_DATABASE_URL ?? stack.config.database.migrationUrl!, {
    dimensions: stack.config.embeddingDimensions,
  });
}

async function startDatabase(): Promise<void> {
  const server = await startPostgres({
    dataDir: dataDir(stack.config.dataDir).postgres,
    // Each look of autovacuum is a transaction for each table that has changed, however little.
    settings: { shared_buffers: "32MB", autovacuum_naptime: "5min" },
  });
  stack.stops.push(() => server.stop());
  const adminUrl = await ensureDatabase(server.url, "agents");
  const { indexerUrl, appUrl } = await ensureRoles(adminUrl);
  stack.databaseUrl = adminUrl;
  Object.assign(stack.env, {
    DATABASE_URL: appUrl,
    INDEXER_DATABASE_URL: indexerUrl,
    MIGRATION_DATABASE_URL: adminUrl,
    DATABASE_POOL: String(POOL),
  });
}

async function startChain(): Promise<void> {
  const { config } = stack;
  const chain = await startAnvil({
    directory: dataDir(config.dataDir).chain,
    blockTimeSeconds: config.chain.blockTimeSeconds,
  });
  stack.stops.push(() => chain.stop());
  stack.devnet = await deployDevnet(chain.url);
  await setContractUri(chain.url, stack.devnet, contractUriOf(config.service.publicUrl));
  stack.rpcUrl = chain.url;
  stack.wsUrl = chain.wsUrl;
  // Only with a chain of its own: on a real one, a simulated account must prove nothing.
  stack.simulatorUrl = `http://127.0.0.1:${await portOr(config.http.port + 2)}`;
  Object.assign(stack.env, {
    RPC_URL: chain.url,
    ...serviceEnv(stack.devnet),
    CRED_ROOTS_ADDRESS: stack.devnet.contracts.credRoots,
    CRED_ORACLE_ADDRESS: stack.devnet.contracts.credOracle,
    ...simulatedUpstreams(stack.simulatorUrl),
    ...localDefaults(config),
  });
}

async function startTempo(): Promise<void> {
  const chain = await startAnvil({ network: "tempo", directory: dataDir(stack.config.dataDir).tempo });
  stack.stops.push(() => chain.stop());
  await deployTempo(chain.url);
  stack.tempoRpcUrl = chain.url;
  Object.assign(stack.env, { TEMPO_RPC_URL: chain.url, ...tempoEnv() });
}

/** What differs on a development chain unless the operator has set it. */
function localDefaults({ service, http }: Config): Record<string, string> {
  const hosts = new Set([...service.hosts, `localhost:${http.port}`, `127.0.0.1:${http.port}`]);
  return {
    POLL_INTERVAL_MS: "250",
    SERVICE_HOST: [...hosts].join(","),
    // A change in the simulators must be visible soon.
    PROOF_RECHECK_INTERVAL: "10s",
    X_RECHECK_INTERVAL: "10s",
    X_READS_PER_DAY: "10000000",
    PULL_INTERVAL: "30s",
    CRED_ROOTS_INTERVAL: "30s",
    // An http address is right for tokens of a chain that is visible on this machine alone.
    TOKEN_URIS: "true",
    WEBHOOK_KEYS: DEV_WEBHOOK_KEY,
    WEBHOOK_ALLOW_PRIVATE: "true",
    // The simulated hosts of agents are on this machine.
    REGISTRATION_ALLOW_PRIVATE: "true",
    ...GENEROUS_RATES,
  };
}

async function startProcesses(): Promise<void> {
  const { config } = stack;
  const directory = dataDir(config.dataDir);
  // Its default follows from PORT, which the API alone reads; workers write it into tokens.
  const env = childEnvironment({ PUBLIC_URL: config.service.publicUrl, ...stack.env, DATA_DIR: config.dataDir });
  writeFileSync(directory.stackEnv, toEnvFile(env.service), { mode: 0o600 });
  const supervisor = new Supervisor({
    logDirectory: directory.logs,
    env: env.all,
    say: (line) => console.error(line),
  });
  stack.supervisor = supervisor;
  stack.stops.push(() => supervisor.stop());
  if (stack.simulatorUrl)
    supervisor.start("simulators", [
      new URL(stack.simulatorUrl).port,
      directory.simulators,
      rows ?? "0",
      stack.rpcUrl!,
    ]);
  supervisor.start("indexer");
  supervisor.start("workers");
  supervisor.start("api");
  if (stack.simulatorUrl) await answersReady(`${stack.simulatorUrl}/health`, directory.logs);
  await answersReady(`${urlAt(config.http.host, config.http.port)}/ready`, directory.logs);
  await becomes(() => supervisor.isUp("workers"), directory.logs);
}

function answersReady(url: string, logs: string): Promise<void> {
  const answers = () =>
    fetch(url).then(
      (response) => response.ok,
      () => false,
    );
  return becomes(answers, logs);
}

async function becomes(ready: () => boolean | Promise<boolean>, logs: string): Promise<void> {
  const deadline = Date.now() + 120_000;
  while (!stopping) {
    if (await ready()) return;
    if (Date.now() > deadline)
      throw new StartError(`The service did not become ready within two minutes; its logs are in ${logs}.`);
    await new Promise((done) => setTimeout(done, 100));
  }
}

function ownChain(): boolean {
  return stack.config.chain.rpcUrls.length === 0;
}

async function seedWorld(say: (line: string) => void): Promise<void> {
  stack.seeded = await seed({
    apiUrl: urlAt(stack.config.http.host, stack.config.http.port),
    host: stack.config.service.hosts[0]!,
    rpcUrl: stack.rpcUrl!,
    simulatorUrl: stack.simulatorUrl!,
    prefix: stack.config.service.prefix,
    databaseUrl: stack.env.DATABASE_URL ?? stack.config.database.url!,
    devnet: stack.devnet!,
    setsTokenUris: childEnvironment(stack.env).service.TOKEN_URIS === "true",
    say,
  });
  writeFileSync(dataDir(stack.config.dataDir).seeded, `${new Date().toISOString()}\n`);
}

function toEnvFile(env: Record<string, string>): string {
  return Object.entries(env)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}\n`)
    .join("");
}

/** One clear text for the error that stopped the start. */
function explain(error: unknown): string {
  if (error instanceof StartError) return error.message;
  if (error instanceof ConfigError) return `The configuration is not usable:\n${error.message.replace(/^/gm, "  ")}`;
  const { code, cause, message } = error as NodeJS.ErrnoException;
  if (code === "ENOSPC") return "The disk is full: free some space and start again.";
  if (code === "EACCES" || code === "EPERM") return `No permission: ${message}. Set DATA_DIR to a directory of yours.`;
  // `fetch` says only that it failed.
  const why = cause instanceof Error ? ` (${cause.message.split("\n")[0]})` : "";
  return `The start failed: ${message.split("\n")[0]}${why}`;
}
