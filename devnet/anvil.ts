/** Local chains: starts anvil, keeps its state on disk, safe against a kill in the middle of a dump, ends it with its parent. */
import { execFileSync } from "node:child_process";
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { type AnvilProcess, launchAnvil, rpc } from "./anvil-process.ts";
import { startBlockClock } from "./block-clock.ts";
import { endLeftover, isAlive } from "./start-program.ts";

/** Longer than anvil needs to write a dump. */
const QUIET_MS = 2_000;
/** What a dump without old states ends with (Anvil 1.7.1). */
const LAST_WORDS = '"historical_states":null}';

/**
 * Anvil writes `dump` again and again in place, so a kill can leave half of one. A finished dump is moved to `state`,
 * which nothing writes to, and which the next start loads.
 */
export const chainFiles = (directory: string) => ({
  state: join(directory, "state.json"),
  dump: join(directory, "dump.json"),
  pid: join(directory, "anvil.pid"),
});

/** While anvil runs: moves a finished dump where the next start finds it. A dump unchanged for 2 seconds is finished. */
function settleDump(directory: string): void {
  const { state, dump } = chainFiles(directory);
  const written = statSync(dump, { throwIfNoEntry: false });
  if (written !== undefined && Date.now() - written.mtimeMs > QUIET_MS) renameSync(dump, state);
}

/**
 * After anvil has ended, perhaps by a kill: an incomplete dump is deleted, and the one before it is used.
 * @returns the file the next run must write to, and the one it can load
 */
function settleLastDump(directory: string): { dump: string; loadable: string | undefined } {
  const { state, dump } = chainFiles(directory);
  if (existsSync(dump)) {
    if (isWhole(dump)) renameSync(dump, state);
    else rmSync(dump);
  }
  return { dump, loadable: existsSync(state) ? state : undefined };
}

/** Ends an anvil that outlived its parent and still serves this directory, so that its last state is on disk. */
export async function stopLeftoverAnvil(directory: string): Promise<void> {
  const { dump, pid: file } = chainFiles(resolve(directory));
  if (!existsSync(file)) return;
  const pid = Number(readFileSync(file, "utf8"));
  // Process ids are given out again: only a process that names this directory's dump is ours to end.
  if (pid > 0 && isAlive(pid) && commandOf(pid).includes(dump)) {
    await endLeftover(pid);
  }
  rmSync(file, { force: true });
}

/** By its last bytes alone: a chain of a day has a dump of 140 MB. */
function isWhole(file: string): boolean {
  const from = statSync(file).size - LAST_WORDS.length;
  if (from < 0) return false;
  const bytes = Buffer.alloc(LAST_WORDS.length);
  const opened = openSync(file, "r");
  try {
    readSync(opened, bytes, 0, bytes.length, from);
  } finally {
    closeSync(opened);
  }
  return bytes.toString("latin1") === LAST_WORDS;
}

/** A process's command line; empty where it cannot be read. */
function commandOf(pid: number): string {
  try {
    if (process.platform === "linux") return readFileSync(`/proc/${pid}/cmdline`, "utf8");
    return execFileSync("ps", ["-p", String(pid), "-o", "args="], { encoding: "utf8" });
  } catch {
    return "";
  }
}

export type Anvil = AnvilProcess;

export type AnvilOptions = {
  /** Where the chain's state lives; a later start on it continues the chain. Absent: the chain ends with the process. */
  directory?: string;
  /** Seconds between blocks, fractions allowed. Absent: a block for every transaction, and none without. */
  blockTimeSeconds?: number;
  /** Free unless given. */
  port?: number;
  /** `tempo` is the payment chain of MPP, chain 4217, with its token precompiles. */
  network?: "base" | "tempo";
};

const CHAIN_IDS = { base: 8453, tempo: 4217 };
/**
 * Seconds between two dumps of the state. The regular end dumps too, and so does the death of the parent: this is what a
 * kill of anvil itself can cost. A dump has 1.6 KB for each block so far: 140 MB after a day of one a second.
 */
const DUMP_SECONDS = 600;
const SETTLE_MS = 5_000;
/**
 * Blocks whose state is kept, which is how deep a read, or a reorganisation, can reach: ten more than what the indexer
 * takes as final. It reads the newest state where an older one is gone. Each is a whole copy in memory, of 2 MB. They are not
 * dumped, so none of before a restart is left.
 */
const KEPT_STATES = 40;

/**
 * Starts a chain on 127.0.0.1 and waits until it listens. It has no funded accounts: the deployment funds them.
 * @throws Error with anvil's own words when it ends instead
 */
export async function startAnvil(options: AnvilOptions = {}): Promise<Anvil> {
  const { blockTimeSeconds, network = "base" } = options;
  const directory = options.directory === undefined ? undefined : resolve(options.directory);
  const args = ["--accounts", "0", "--chain-id", String(CHAIN_IDS[network])];
  if (blockTimeSeconds !== undefined) args.push("--no-mining");
  if (network === "tempo") args.push("--network", "tempo");
  if (directory === undefined) args.push("--max-persisted-states", "0");
  else args.push(...(await stateArguments(directory)));

  const launched = await launchAnvil(options.port ?? 0, args);
  // A payment on a chain without any block fails as not valid yet.
  if (network === "tempo" && (await rpc(launched.url, "eth_blockNumber")) === "0x0")
    await rpc(launched.url, "evm_mine");
  const anvil = blockTimeSeconds === undefined ? launched : await withClock(launched, blockTimeSeconds * 1000);
  if (directory === undefined) return anvil;

  writeFileSync(chainFiles(directory).pid, `${anvil.pid}\n`);
  const settling = setInterval(() => settleDump(directory), SETTLE_MS).unref();
  void anvil.ended.then(() => clearInterval(settling));
  return {
    ...anvil,
    async stop() {
      await anvil.stop();
      settleLastDump(directory);
      rmSync(chainFiles(directory).pid, { force: true });
    },
  };
}

async function withClock(anvil: AnvilProcess, blockMs: number): Promise<AnvilProcess> {
  const clock = await startBlockClock(anvil.url, blockMs, { dropsHashes: true });
  void anvil.ended.then(() => clock.stop());
  return {
    ...anvil,
    async stop() {
      await clock.stop();
      await anvil.stop();
    },
  };
}

async function stateArguments(directory: string): Promise<string[]> {
  mkdirSync(directory, { recursive: true });
  await stopLeftoverAnvil(directory);
  const { dump, loadable } = settleLastDump(directory);
  const load = loadable === undefined ? [] : ["--load-state", loadable];
  const write = ["--dump-state", dump, "--state-interval", String(DUMP_SECONDS)];
  return [...load, ...write, "--prune-history", String(KEPT_STATES)];
}
