/** Local chains: starts anvil, keeps its state on disk, ends it with its parent. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { type AnvilProcess, launchAnvil, rpc } from "./anvil-process.ts";
import { startBlockClock } from "./block-clock.ts";
import { chainFiles, settleDump, settleLastDump, stopLeftoverAnvil } from "./chain-state.ts";

export { stopLeftoverAnvil } from "./chain-state.ts";

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
