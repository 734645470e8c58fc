/**
 * Logs that are shown to be whole before they count: a backend of a node may leave one out of an answer, without an error.
 * A block's logs are whole when their indexes have no gap and they explain the bloom of its header. Over many blocks there
 * is nothing of the kind that costs less than the logs themselves: there an answer counts when another look adds nothing.
 */
import { type Hex, hexToBytes, keccak256 } from "viem";
import { expiringCache } from "../../core/expiring-cache.ts";
import { unreachable } from "./errors.ts";
import { readLogs } from "./logs.ts";
import { blockNumber, type LogFilter, toQuantity } from "./requests.ts";
import type { Route } from "./route.ts";

const BLOOM_BYTES = 256;

/** What a log puts into its block's bloom. */
type BloomedLog = { address: Hex; topics: readonly Hex[] };

/**
 * The bloom of exactly these logs, as a header with them has it.
 * @returns 256 bytes; a header's bloom with more bits belongs to a block with more logs
 */
export function bloomOf(logs: Iterable<BloomedLog>): Uint8Array {
  const items = new Set<Hex>();
  for (const { address, topics } of logs) {
    items.add(address);
    for (const topic of topics) items.add(topic);
  }
  const bloom = new Uint8Array(BLOOM_BYTES);
  for (const item of items) {
    const hash = keccak256(item, "bytes");
    for (const at of [0, 2, 4]) {
      const bit = ((hash[at]! << 8) | hash[at + 1]!) & 0x7ff;
      bloom[BLOOM_BYTES - 1 - (bit >> 3)]! |= 1 << (bit & 7);
    }
  }
  return bloom;
}

/** A header's bloom as bytes; null for what is no bloom. */
function readBloom(value: unknown): Uint8Array | null {
  return typeof value === "string" && /^0x[0-9a-f]{512}$/i.test(value) ? hexToBytes(value as Hex) : null;
}

/** Headers whose blooms are kept: Ponder requests a block's logs right after its header. */
const HEADERS_KEPT = 256;
/** Blocks of a range that is read block by block, each with its proof: an index reads a hole again in such ranges. */
const PROVEN_BLOCKS = 8;
/** Max reads of a range; it is read until a read adds no log. */
const MAX_LOOKS = 6;

type Log = BloomedLog & { blockNumber: Hex; blockHash: Hex; logIndex: Hex };

export type WholeLogsOptions = {
  /** The way of the first look. */
  route: Route;
  /** The way of every second look: another node first, where there is one. */
  other: Route;
  /** Gets the number of logs that a look at a range lacked, and which of the two ways it went. */
  omitted(logs: number, way: "route" | "other"): void;
};

export class WholeLogs {
  readonly #options: WholeLogsOptions;
  /** By hash of a block; null for a header whose bloom says nothing. */
  readonly #blooms = expiringCache<Uint8Array | null>(HEADERS_KEPT);

  constructor(options: WholeLogsOptions) {
    this.#options = options;
  }

  /** Keeps the bloom of an answered header. */
  noteHeader(answer: unknown): void {
    const { hash, logsBloom } = (answer ?? {}) as { hash?: unknown; logsBloom?: unknown };
    if (typeof hash !== "string" || logsBloom === undefined) return;
    this.#blooms.set(hash, readBloom(logsBloom));
  }

  /** The logs of a filter, whole. @throws RpcRequestError, Failure as RpcPool.request does */
  async read(filter: LogFilter): Promise<unknown> {
    const { blockHash, address, topics } = filter;
    if (blockHash !== undefined) {
      if (typeof blockHash === "string" && address === undefined && topics === undefined)
        return this.#ofBlock(blockHash);
      return (await this.#options.route.send({ method: "eth_getLogs", params: [filter] })).result;
    }
    const [from, to] = [blockNumber(filter.fromBlock), blockNumber(filter.toBlock)];
    if (from !== null && to !== null && to >= from && to - from < PROVEN_BLOCKS)
      return this.#blockByBlock(filter, from, to);
    return this.#ofRange(filter);
  }

  /** All logs of one block. */
  async #ofBlock(hash: string): Promise<unknown> {
    const { route } = this.#options;
    if (this.#blooms.get(hash) === undefined)
      this.noteHeader((await route.send({ method: "eth_getBlockByHash", params: [hash, false] })).result);
    const bloom = this.#blooms.get(hash) ?? null;
    let lacking = false;
    const accepts = (result: unknown): boolean => {
      const whole = isWhole(result, bloom);
      lacking ||= !whole;
      return whole;
    };
    try {
      return (await route.send({ method: "eth_getLogs", params: [{ blockHash: hash }] }, accepts)).result;
    } catch (error) {
      if (!lacking) throw error;
      // Receipts are kept apart from the index over logs that eth_getLogs reads.
      const logs = await this.#logsOfReceipts(hash);
      if (!isWhole(logs, bloom)) throw error;
      return logs;
    }
  }

  async #logsOfReceipts(hash: string): Promise<unknown> {
    const { result } = await this.#options.route.send({ method: "eth_getBlockReceipts", params: [hash] });
    return Array.isArray(result)
      ? result.flatMap((receipt) => (receipt as { logs?: unknown } | null)?.logs ?? [])
      : null;
  }

  async #blockByBlock(filter: LogFilter, from: number, to: number): Promise<Log[]> {
    const logs: Log[] = [];
    for (let block = from; block <= to; block++) {
      const call = { method: "eth_getBlockByNumber", params: [toQuantity(block), false] };
      const { result } = await this.#options.route.send(call);
      const hash = (result as { hash?: string } | null)?.hash ?? unreachable(new Error(`no block ${block}`));
      this.noteHeader(result);
      logs.push(...((await this.#ofBlock(hash)) as Log[]).filter((log) => matches(filter, log)));
    }
    return logs;
  }

  async #ofRange(filter: LogFilter): Promise<unknown> {
    const found = new Map<string, Log>();
    for (let look = 0; look < MAX_LOOKS; look++) {
      const [way, before] = look % 2 === 0 ? (["route", "other"] as const) : (["other", "route"] as const);
      const logs = await readLogs(this.#options[way], filter);
      if (!Array.isArray(logs)) return unreachable(new Error("logs that are not a list"));
      const count = found.size;
      addAll(found, logs as Log[]);
      if (look === 0) continue;
      if (found.size > count) this.#options.omitted(found.size - count, before);
      else if (logs.length === count) return logs;
      else {
        this.#options.omitted(count - logs.length, way);
        return inOrder([...found.values()]);
      }
    }
    return unreachable(new Error("each look at the logs of a range finds others"));
  }
}

/** Adds logs by their place. @throws Failure when a place has the log of another block */
function addAll(found: Map<string, Log>, logs: readonly Log[]): void {
  for (const log of logs) {
    const place = `${log.blockNumber} ${log.logIndex}`;
    const seen = found.get(place);
    if (seen !== undefined && seen.blockHash !== log.blockHash)
      unreachable(new Error("the chain was reorganised between two looks at its logs"));
    found.set(place, log);
  }
}

/** @param bloom of the block's header; null: it has none that says anything */
function isWhole(logs: unknown, bloom: Uint8Array | null): boolean {
  if (!Array.isArray(logs)) return false;
  if (logs.some((log, index) => Number((log as Log).logIndex) !== index)) return false;
  if (bloom === null) return true;
  const explained = bloomOf(logs as Log[]);
  return bloom.every((byte, at) => (byte & ~explained[at]!) === 0);
}

/** Whether a log is one of a filter's: eth_getLogs has one address or several, and for each topic any, one or several. */
function matches({ address, topics }: LogFilter, log: Log): boolean {
  const same = (wanted: unknown, value: string | undefined) =>
    value !== undefined && [wanted].flat().some((each) => String(each).toLowerCase() === value.toLowerCase());
  if (address !== undefined && !same(address, log.address)) return false;
  return ((topics ?? []) as unknown[]).every(
    (wanted, at) => wanted === null || wanted === undefined || same(wanted, log.topics[at]),
  );
}

const inOrder = (logs: Log[]): Log[] =>
  logs.sort((a, b) => Number(a.blockNumber) - Number(b.blockNumber) || Number(a.logIndex) - Number(b.logIndex));
