/** The simulation's chain: mined by the clock of the simulation, and reorganised as chains are: most transactions come back, some do not. */
import { type Hex, numberToHex } from "viem";
import { launchAnvil, rpc } from "../../devnet/anvil-process.ts";
import { startBlockClock } from "../../devnet/block-clock.ts";
import { CANONICAL } from "../../devnet/chain-addresses.ts";
import { testChain } from "../agent-wallet.ts";

/** Blocks whose state is kept: no reorganisation is deeper. */
const KEPT_STATES = 300;
/** Older transactions always come back: the service takes 30 blocks of its own for final. */
const DROPPED_WITHIN = 18;

type Transaction = { hash: Hex; from: Hex; to: Hex | null };

/** @param blockMs between two blocks */
export async function startSimulatedChain(blockMs: number) {
  const anvil = await launchAnvil(0, [
    ...["--accounts", "0", "--chain-id", "8453", "--no-mining"],
    ...["--prune-history", String(KEPT_STATES)],
  ]);
  const chain = testChain(anvil.url);
  const { alone, hold, release, stop } = await startBlockClock(anvil.url, blockMs);

  async function block(number: number): Promise<{ number: number; transactions: Transaction[] }> {
    const found = (await rpc(anvil.url, "eth_getBlockByNumber", [numberToHex(number), true])) as {
      transactions: Transaction[];
    };
    return { number, transactions: found.transactions };
  }

  return {
    url: anvil.url,
    chain,
    /** Mines empty blocks, or whatever waits in the first of them. */
    mine: (blocks: number) => alone(() => rpc(anvil.url, "anvil_mine", [numberToHex(blocks)])),
    hold,
    release,
    /**
     * Replaces the last blocks by as many others. What moved USDC comes back, and whatever is old; of the rest, some
     * accounts lose everything from some transaction on.
     */
    reorganise: (depth: number, random: () => number, loss: number) =>
      alone(async () => {
        const head = Number(await rpc(anvil.url, "eth_blockNumber"));
        const first = head - depth + 1;
        const blocks = await Promise.all(Array.from({ length: depth }, (_, i) => block(first + i)));
        const losers = new Set<string>();
        const kept: [Hex, number][] = [];
        let at = 0;
        for (const { number, transactions } of blocks)
          for (const { hash, from, to } of transactions) {
            const money = to?.toLowerCase() === CANONICAL.usdc.toLowerCase();
            if (!money && number > head - DROPPED_WITHIN && random() < loss) losers.add(from);
            if (losers.has(from)) continue;
            // Not always in the block it was in, and never before one that it came after.
            const moved = number - first + (random() < 0.3 ? 1 : 0);
            at = Math.min(depth - 1, Math.max(at, moved));
            kept.push([(await rpc(anvil.url, "eth_getRawTransactionByHash", [hash])) as Hex, at]);
          }
        await rpc(anvil.url, "anvil_reorg", [depth, kept]);
        await rpc(anvil.url, "evm_mine");
      }),
    async stop() {
      await stop();
      await anvil.stop();
    },
  };
}
