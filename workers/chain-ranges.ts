/** Reads a contract's logs range by range, independently of the index; what was read follows the chain through reorganisations of any depth. */
import type { Chain, FoundLog } from "../clients/ports.ts";
import { firstBlockWhere } from "../core/first-block.ts";
import { backoffMs } from "../core/times.ts";
import type { JobContext } from "./context.ts";

const DAY_MS = 86_400_000;
/** Milliseconds after the first failure until the next read. */
const RETRY_MS = 60_000;
/** Blocks of one read. The pool splits its logs into the ranges that the nodes take. */
export const RANGE_BLOCKS = 10_000;
/** Blocks whose marks are all kept: a day. */
export const MARKED_BLOCKS = 43_200;
/** Blocks of logs that count as one request of the budget: many nodes return the logs of 2,000 blocks at once. */
const LOG_BLOCKS = 2_000;

/** Requests of the budget that one eth_getLogs over a number of blocks counts as. */
export const logsPrice = (blocks: number): number => Math.max(1, Math.ceil(blocks / LOG_BLOCKS));

/** Blocks below the head from which no reorganisation is expected while a range is read. */
const SETTLED_BLOCKS = 256;

export type RangeChain = Pick<Chain, "block" | "logs">;
/** A block up to which was read, with its hash. */
type RangeEnd = { block: number; hash: string };

/**
 * Gives each run of a job its part of a daily budget of requests. A range is read to its end: what a run takes beyond its part
 * is owed by the next.
 */
export function dailyRequests(everyMs: number) {
  let owed = 0;
  /** @param run is given its part, what is left of it, and a chain that counts */
  return async <T>(
    perDay: number,
    chain: RangeChain,
    run: (of: { part: number; budget: { left: number }; chain: RangeChain }) => Promise<T>,
  ): Promise<T> => {
    const part = Math.ceil((perDay * everyMs) / DAY_MS);
    const budget = { left: part - owed };
    try {
      return await run({ part, budget, chain: counting(chain, budget) });
    } finally {
      owed = Math.max(0, -budget.left);
    }
  };
}

/** A chain whose requests are subtracted from `budget.left`. */
function counting(chain: RangeChain, budget: { left: number }): RangeChain {
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

/** When what failed is read again. While no node answers at all this throws: the run ends, and nothing is put off. */
export async function laterRead(
  { chain, clock }: Pick<JobContext, "chain" | "clock">,
  failures: number,
): Promise<Date> {
  await chain.headBlock();
  return new Date(clock().getTime() + backoffMs(RETRY_MS, DAY_MS, failures));
}

/** Blocks from the first to the last one. */
export type BlockRange = { from: number; to: number };

/**
 * Reads the next range after the last block that is still the chain's, and stores it in place of what was read there before.
 * @param read.at how far was read @param read.blocks at most @param read.ends where reads ended, the lowest block first
 * @param read.rows of a range, with the hash of its last block; null where the chain was reorganised meanwhile
 * @param read.store returns how many rows it stored; null where another run has read on
 * @returns null where the chain says something else than a moment ago, nothing is new, or another run has read on
 */
export async function readOn<Found>(
  chain: RangeChain,
  head: number,
  read: {
    at: { fromBlock: number; readTo: number };
    blocks: number;
    ends: readonly RangeEnd[];
    rows(range: BlockRange & { head: number }): Promise<{ hash: string; rows: Found[] } | null>;
    store(read: BlockRange & { hash: string; rows: Found[] }): Promise<number | null>;
  },
): Promise<{ readTo: number; stored: number } | null> {
  const { at, blocks, ends } = read;
  const last = await lastTrue(chain, at, ends);
  if (last === null) return null;
  const [from, to] = [last.block + 1, Math.min(head, last.block + blocks)];
  if (to < from && last.block === at.readTo) return null;
  const range = to < from ? { hash: last.hash, rows: [] } : await read.rows({ from, to, head });
  if (range === null) return null;
  const readTo = Math.max(to, last.block);
  const stored = await read.store({ from, to: readTo, ...range });
  return stored === null ? null : { readTo, stored };
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
  read: () => Promise<readonly FoundLog[]>,
): Promise<{ hash: string; logs: readonly FoundLog[]; times: ReadonlyMap<string, number> } | null> {
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
    const header = await chain.block(block);
    if (header?.hash !== blockHash) return null;
    times.set(blockHash, header.timestamp);
  }
  return times;
}

/**
 * The last block up to which what was read is still the chain's: `readTo`, or a mark below a reorganisation, or what comes
 * before the first block.
 * @param ends where reads ended, the lowest block first
 * @returns null where the node does not have that block (yet)
 */
async function lastTrue(
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
