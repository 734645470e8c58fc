/** A whole local stack for tests: `npm start` in a directory and on a port of its own. */
import type { ChildProcess } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { dataDir } from "../devnet/data-dir.ts";
import { removePostgres } from "../devnet/postgres.ts";
import { hasEnded, outputOf, startProgram } from "../devnet/start-program.ts";
import { freePort } from "../runtime/free-port.ts";
import { entryOf } from "../runtime/processes.ts";
import { PROJECT_ROOT } from "../runtime/project-root.ts";
import { CHILD_ENV, FREE_PHASE } from "./child-env.ts";
import { runningStacks } from "./running-stacks.ts";
import { scratchDirectory } from "./scratch.ts";
import { type ServiceProcess, startApi, startProcess } from "./service-process.ts";
import { startBalancer, type Topology, topologyEnv } from "./topology.ts";
import { until } from "./until.ts";

export type DevnetFile = {
  apiUrl: string;
  /** GraphQL and SQL of the index. */
  indexUrl: string;
  /** The simulated upstreams and their control. */
  simulatorUrl: string;
  rpcUrl: string;
  wsUrl: string;
  /** The chain that payments by MPP settle on. */
  tempoRpcUrl: string;
  databaseUrl: string;
  chainId: number;
  contracts: Record<string, `0x${string}`>;
  schemas: { verifiedAccount: `0x${string}` };
  accounts: { address: `0x${string}`; privateKey: `0x${string}` }[];
  keys: Record<"deployer" | "attester" | "treasury" | "receiptSigner", `0x${string}`>;
};

export type Stack = {
  devnet: DevnetFile;
  directory: string;
  process: ChildProcess;
  /** Everything printed so far. */
  output(): string;
  /** Ctrl-C, and everything is down. The data stays. @returns the exit code */
  stop(): Promise<number | null>;
  /** Stops and removes the data. */
  remove(): Promise<void>;
};

/** Longer than the first start on a busy machine takes, which seeds a world. */
const READY_MS = 600_000;

/**
 * Starts the stack and waits for `ready`.
 * @param options.directory reuses the data of an earlier one
 * @throws Error with what it printed when it ends before
 */
export async function startStack(options: StartOptions = {}): Promise<Stack> {
  const directory = options.directory ?? scratchDirectory("stack", { onDisk: true });
  const { topology } = options;
  const more = topology && (await moreProcesses(topology, directory));
  const env = { ...more?.env, ...options.env };
  const run = await runStart({ ...options, env, directory });
  const isReady = () => run.output().includes("\nready ");
  await until("the stack is ready", () => isReady() || hasEnded(run.process), { timeoutMs: READY_MS });
  if (!isReady()) throw new Error(`npm start ended with ${await run.ended}:\n${run.output()}`);
  const running = { output: run.output, logs: dataDir(directory).logs };
  runningStacks.add(running);
  await more?.start();
  const stop = async () => {
    runningStacks.delete(running);
    await more?.stop();
    run.process.kill("SIGINT");
    return await run.ended;
  };
  return {
    devnet: JSON.parse(readFileSync(dataDir(directory).devnet, "utf8")) as DevnetFile,
    directory,
    process: run.process,
    output: run.output,
    stop,
    async remove() {
      await stop();
      await removePostgres(dataDir(directory).postgres);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** A stack for as long as some work takes. */
export async function withStack<T>(options: StartOptions, work: (stack: Stack) => Promise<T>): Promise<T> {
  const stack = await startStack(options);
  try {
    return await work(stack);
  } finally {
    await stack.remove();
  }
}

/** The same with the world that `npm start` seeds. */
export const withSeededStack = <T>(work: (stack: Stack) => Promise<T>): Promise<T> =>
  withStack({ args: [], env: { PRICING_PHASE: "" } }, async (stack) => {
    await until("everything is printed", () => stack.output().includes("Ctrl-C ends everything"));
    return work(stack);
  });

/** A second API and a second worker in addition to those of a stack, and a balancer whose URL is the service's. */
async function moreProcesses(topology: Topology, directory: string) {
  const [port, secondPort] = [await freePort(), await freePort()];
  const balancer = await startBalancer([port, secondPort]);
  const own = topologyEnv(topology);
  const started: ServiceProcess[] = [];
  // They find the stack by the file it writes into its data directory.
  const env = { ...own, DATA_DIR: directory, PORT: String(secondPort), LOG_LEVEL: "warn" };
  return {
    env: { ...own, PORT: String(port), PUBLIC_URL: `http://127.0.0.1:${balancer.port}` },
    async start() {
      started.push(startProcess("workers", env), startProcess("api", env));
      await started[1]!.answers(`http://127.0.0.1:${secondPort}/ready`, { timeoutMs: 120_000 });
    },
    async stop() {
      await Promise.all(started.map((one) => one.stop()));
      balancer.close();
    },
  };
}

/** A further API on a running stack, with settings of its own. */
export const startSecondApi = (directory: string, env: Record<string, string>) =>
  startApi({ ...env, DATA_DIR: directory, LOG_LEVEL: "warn" });

export type StartOptions = {
  args?: string[];
  env?: Record<string, string>;
  directory?: string;
  /** Two of the API, behind a balancer at `devnet.apiUrl`, and two workers. */
  topology?: Topology | undefined;
};

/** Runs the program behind `npm start` and keeps what it prints; for tests of starts that fail, too. */
export async function runStart(options: StartOptions & { directory: string }) {
  const child = startProgram(process.execPath, [entryOf("stack"), ...(options.args ?? ["--empty"])], {
    cwd: PROJECT_ROOT,
    env: { ...CHILD_ENV, ...FREE_PHASE, PORT: String(await freePort()), ...options.env, DATA_DIR: options.directory },
    stdio: ["ignore", "pipe", "pipe"],
  });
  return {
    process: child,
    output: outputOf(child),
    /** Resolves with the exit code, null when a signal ended it. */
    ended: new Promise<number | null>((done) => child.once("exit", done)),
  };
}
