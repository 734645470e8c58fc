/** Local chains: starts anvil, keeps its state on disk, ends it with its parent. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { type AnvilProcess, launchAnvil, rpc } from "./anvil-process.ts";
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
 * kill of anvil itself can cost.
 */
const DUMP_SECONDS = 20;
const SETTLE_MS = 5_000;
/**
 * Blocks whose state is kept, which is how deep a read, or a reorg made by a test, can reach. Each is a whole copy in
 * memory, with the hashes of all blocks so far: 2 to 3 MB after three hours of blocks. They are not dumped: the file
 * would have 170 MB by then, and every dump would stop the chain for seconds. So none of before a restart is left.
 */
const KEPT_STATES = 128;

/**
 * Starts a chain on 127.0.0.1 and waits until it listens. It has no funded accounts: the deployment funds them.
 * @throws Error with anvil's own words when it ends instead
 */
export async function startAnvil(options: AnvilOptions = {}): Promise<Anvil> {
  const { blockTimeSeconds, network = "base" } = options;
  const directory = options.directory === undefined ? undefined : resolve(options.directory);
  const args = ["--accounts", "0", "--chain-id", String(CHAIN_IDS[network])];
  if (blockTimeSeconds !== undefined) args.push("--block-time", String(blockTimeSeconds));
  if (network === "tempo") args.push("--network", "tempo");
  if (directory === undefined) args.push("--max-persisted-states", "0");
  else args.push(...(await stateArguments(directory)));

  const anvil = await launchAnvil(options.port ?? 0, args);
  // A payment on a chain without any block fails as not valid yet.
  if (network === "tempo" && (await rpc(anvil.url, "eth_blockNumber")) === "0x0") await rpc(anvil.url, "evm_mine");
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

async function stateArguments(directory: string): Promise<string[]> {
  mkdirSync(directory, { recursive: true });
  await stopLeftoverAnvil(directory);
  const { dump, loadable } = settleLastDump(directory);
  const load = loadable === undefined ? [] : ["--load-state", loadable];
  const write = ["--dump-state", dump, "--state-interval", String(DUMP_SECONDS)];
  return [...load, ...write, "--prune-history", String(KEPT_STATES)];
}
