/** Blocks of a local chain by a clock of our own, and reorganisations between two of them. */
import { rpc } from "../devnet/anvil-process.ts";

export type BlockClock = Awaited<ReturnType<typeof startBlockClock>>;

/**
 * Takes mining over from Anvil: its own clock mines in the middle of a reorganisation too, and such a block keeps its
 * transactions and logs without what they changed (Anvil 1.7.1).
 * @param blockMs between two blocks
 */
export async function startBlockClock(url: string, blockMs: number) {
  let held: Promise<unknown> = Promise.resolve();
  /** One thing after the other: no block comes in the middle of a reorganisation. */
  function alone<T>(work: () => Promise<T>): Promise<T> {
    const mine = held.then(work);
    held = mine.catch(() => {});
    return mine;
  }
  await rpc(url, "evm_setIntervalMining", [0]);
  // A block that Anvil's clock had begun ends before this one.
  await rpc(url, "evm_mine");
  let mining = true;
  let busy = false;
  const timer = setInterval(() => {
    if (busy || !mining) return;
    busy = true;
    void alone(() => rpc(url, "evm_mine"))
      .catch(() => {})
      .finally(() => {
        busy = false;
      });
  }, blockMs);

  return {
    alone,
    /** Replaces the last blocks by as many others, empty unless raw transactions, each with its block's place, are given. */
    reorganise: (depth: number, transactions: readonly [raw: string, at: number][] = []) =>
      alone(() => rpc(url, "anvil_reorg", [depth, transactions])),
    /** While it does not mine, transactions wait. */
    hold: () => {
      mining = false;
    },
    release: () => {
      mining = true;
    },
    async stop() {
      clearInterval(timer);
      await held;
    },
  };
}
