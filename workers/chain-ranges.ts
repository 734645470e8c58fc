/** Reads a contract's logs range by range, independently of the index; what was read follows the chain through reorganisations of any depth. */
import type { Chain, FoundLog } from "../clients/ports.ts";
import { firstBlockWhere } from "../core/first-block.ts";
import { logsPrice } from "../core/income/requests.ts";

/** Blocks below the head from which no reorganisation is expected while a range is read. */
const SETTLED_BLOCKS = 256;

export type RangeChain = Pick<Chain, "block" | "logs">;
/** A block up to which was read, with its hash. */
export type RangeEnd = { block: number; hash: string };

/** A chain whose requests are subtracted from `budget.left`. */
export function counting(chain: RangeChain, budget: { left: number }): RangeChain {
  return {
    block(number) {
      budget.left -= 1;
      return chain.block(number);
    },
    logs(of) {
      budget.left -= logsPrice(of.toBlock === undefined ? 1 : of.toBlock - of.fromBlock + 1);
      return chain.logs(of);
    },
  };
}

/**
 * Logs of a range with the hash of its last block and the times of their blocks, by hash: one request for each block whose time
 * does not come with its logs, or that may still be taken back.
 * @param read the logs of the range, as the chain has them now
 * @returns null where the chain was reorganised meanwhile
 * @throws Failure upstream_unavailable
 */
export async function readLogs(
  chain: RangeChain,
  { to, head }: { to: number; head: number },
  read: () => Promise<FoundLog[]>,
): Promise<{ hash: string; logs: FoundLog[]; times: ReadonlyMap<string, number> } | null> {
  const end = await chain.block(to);
  if (end === null) return null;
  const logs = await read();
  const times = await timesOf(chain, logs, head);
  if (times === null) return null;
  // The last block was read before and after the range: if its hash is the same, so are the blocks below it.
  if (to > head - SETTLED_BLOCKS && (await chain.block(to))?.hash !== end.hash) return null;
  return { hash: end.hash, logs, times };
}

/** Times of the blocks of some logs, by their hashes; null where one of them is not the chain's any more. */
async function timesOf(
  chain: RangeChain,
  logs: readonly FoundLog[],
  head: number,
): Promise<Map<string, number> | null> {
  const times = new Map<string, number>();
  for (const { block, blockHash, timestamp } of logs) {
    if (times.has(blockHash)) continue;
    if (timestamp !== undefined && block <= head - SETTLED_BLOCKS) {
      times.set(blockHash, timestamp);
      continue;
    }
    const found = await chain.block(block);
    if (found?.hash !== blockHash) return null;
    times.set(blockHash, found.timestamp);
  }
  return times;
}

/**
 * The last block up to which what was read is still the chain's: `readTo`, or a mark below a reorganisation, or what comes
 * before the first block.
 * @param ends where reads ended, the lowest block first
 * @returns null where the node does not have that block (yet)
 */
export async function lastTrue(
  chain: RangeChain,
  { fromBlock, readTo }: { fromBlock: number; readTo: number },
  ends: readonly RangeEnd[],
): Promise<RangeEnd | null> {
  const newest = ends.at(-1);
  if (newest === undefined) return { block: readTo, hash: "" };
  const now = await chain.block(newest.block);
  if (now === null) return null;
  if (now.hash === newest.hash) return newest;
  const isGone = async (at: number) => (await chain.block(ends[at]!.block))?.hash !== ends[at]!.hash;
  const first = await firstBlockWhere(0, ends.length - 1, isGone);
  return ends[first - 1] ?? { block: fromBlock - 1, hash: "" };
}
