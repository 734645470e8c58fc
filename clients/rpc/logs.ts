/** Long eth_getLogs: split into the ranges that the nodes take, and joined in order, from one chain of blocks only. */
import pLimit from "p-limit";
import { unreachable } from "./errors.ts";
import { blockNumber, type LogFilter, toQuantity } from "./requests.ts";
import { type Route, TooWide } from "./route.ts";

/** Ranges of one request that are read at the same time. */
const RANGES_AT_ONCE = 4;
/** Max ranges of one request, and max bytes of their answers in all. */
const MAX_RANGES = 10_000;
const MAX_BYTES = 256_000_000;
/** Tries to read all ranges without a reorganisation between the first and the last. */
const TRIES = 3;
/** Blocks below the head from which no reorganisation is expected. */
const SETTLED_BLOCKS = 256;

type Header = { number: string; hash: string };

/**
 * The logs of a filter in the order of the chain.
 * @throws RpcRequestError, Failure as RpcPool.request does
 */
export async function readLogs(route: Route, filter: LogFilter): Promise<unknown> {
  try {
    return (await route.send({ method: "eth_getLogs", params: [filter] })).result;
  } catch (error) {
    if (!(error instanceof TooWide)) throw error;
  }
  const from = blockNumber(filter.fromBlock) ?? (await headerAt(route, filter.fromBlock)).number;
  for (let tries = 1; ; tries++) {
    const end = await endOf(route, filter.toBlock);
    const logs = await split(route, filter, Number(from), end.block);
    // The last block was read before and after all ranges: if its hash is the same, so are the blocks below it.
    if (end.hash === null || (await hashAt(route, end.block)) === end.hash) return logs;
    if (tries === TRIES) unreachable(new Error("the chain was reorganised while its logs were read"));
  }
}

/** The last block of a request, at most the head, with its hash; the hash is null where no reorganisation is expected. */
async function endOf(route: Route, toBlock: unknown): Promise<{ block: number; hash: string | null }> {
  const block = blockNumber(toBlock);
  const head = route.head();
  if (block !== null && head !== null && block <= head - SETTLED_BLOCKS) return { block, hash: null };
  const named = block === null ? null : await hashAt(route, block);
  if (block !== null && named !== null) return { block, hash: named };
  const { number, hash } = await headerAt(route, block === null ? toBlock : "latest");
  return { block: Math.min(Number(number), block ?? Infinity), hash };
}

async function hashAt(route: Route, block: number): Promise<string | null> {
  const { result } = await route.send({ method: "eth_getBlockByNumber", params: [toQuantity(block), false] });
  return (result as Header | null)?.hash ?? null;
}

async function headerAt(route: Route, block: unknown): Promise<Header> {
  const { result } = await route.send({ method: "eth_getBlockByNumber", params: [block ?? "latest", false] });
  return result === null ? unreachable(new Error(`no block ${String(block)}`)) : (result as Header);
}

async function split(route: Route, filter: LogFilter, from: number, to: number): Promise<unknown[]> {
  const limit = pLimit(RANGES_AT_ONCE);
  let bytes = 0;
  let ranges = 0;
  let failed = false;

  async function read(first: number, last: number): Promise<unknown[]> {
    if (failed) return [];
    if (++ranges > MAX_RANGES) return unreachable(new Error(`more than ${MAX_RANGES} ranges of logs`));
    const part = { ...filter, fromBlock: toQuantity(first), toBlock: toQuantity(last) };
    try {
      const answer = await limit(() => route.send({ method: "eth_getLogs", params: [part] }));
      bytes += answer.bytes;
      if (bytes > MAX_BYTES) return unreachable(new Error(`more than ${MAX_BYTES} bytes of logs`));
      return Array.isArray(answer.result) ? answer.result : unreachable(new Error("logs that are not a list"));
    } catch (error) {
      if (error instanceof TooWide) return readParts(first, last, error.blocks);
      failed = true;
      throw error;
    }
  }

  async function readParts(first: number, last: number, blocks: number): Promise<unknown[]> {
    if ((last - first) / blocks > MAX_RANGES) unreachable(new Error(`more than ${MAX_RANGES} ranges of logs`));
    const parts: Promise<unknown[]>[] = [];
    for (let at = first; at <= last; at += blocks) parts.push(read(at, Math.min(last, at + blocks - 1)));
    return (await Promise.all(parts)).flat();
  }
  return to < from ? [] : read(from, to);
}
