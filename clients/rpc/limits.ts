/** What is learned of one node's limits: requests of a batch, blocks of one eth_getLogs, gas of one call. */
import { namedGas, namedRange } from "./errors.ts";

/** Requests of a batch at the start; the public endpoint of Base takes no more. */
const FIRST_BATCH = 10;
/** Answered requests at a limit after which a little more is tried. */
const BATCHES_UNTIL_MORE = 500;
const RANGES_UNTIL_MORE = 20;
const GROWTH = 1.25;
/** Milliseconds for which a range that the node itself named as its limit is not exceeded. */
const NAMED_MS = 3_600_000;
/** Max gas of one transaction since Fusaka (EIP-7825), which some nodes also apply to calls. */
const TRANSACTION_CAP = 16_777_216;
/** Below this a call is not retried with less gas. */
const MIN_GAS = 1_000_000;

export type NodeLimits = {
  readonly batch: number;
  /** Max blocks of one eth_getLogs; Infinity: none was refused so far. */
  readonly range: number;
  /** Max gas of one eth_call; Infinity: none was refused so far. */
  readonly gas: number;
  batchRefused(requests: number): void;
  batchAnswered(requests: number): void;
  /** A range was refused. @param named whether its words may state the limit in blocks */
  rangeRefused(blocks: number, message: string, named: boolean): void;
  rangeAnswered(blocks: number): void;
  /** @returns whether less gas may be accepted */
  gasRefused(gas: number, message: string): boolean;
};

/** @param now milliseconds of a clock that only grows */
export function openLimits(now: () => number): NodeLimits {
  let batch = FIRST_BATCH;
  let batches = 0;
  let range = Infinity;
  let ranges = 0;
  let namedAt = -Infinity;
  let gas = Infinity;
  return {
    get batch() {
      return batch;
    },
    get range() {
      return range;
    },
    get gas() {
      return gas;
    },
    batchRefused(requests) {
      batch = Math.min(batch, Math.max(1, Math.floor(requests / 2)));
      batches = 0;
    },
    batchAnswered(requests) {
      if (batch >= FIRST_BATCH || requests < batch || ++batches < BATCHES_UNTIL_MORE) return;
      batch++;
      batches = 0;
    },
    rangeRefused(blocks, message, named) {
      const limit = namedRange(message, blocks, named);
      if (limit !== null && named) namedAt = now();
      range = Math.min(range, limit ?? Math.max(1, Math.floor(blocks / 2)));
      ranges = 0;
    },
    rangeAnswered(blocks) {
      if (blocks < range || now() - namedAt < NAMED_MS || ++ranges < RANGES_UNTIL_MORE) return;
      range = Math.ceil(range * GROWTH);
      ranges = 0;
    },
    gasRefused(asked, message) {
      const half = asked > TRANSACTION_CAP ? TRANSACTION_CAP : Math.floor(asked / 2);
      const cap = namedGas(message, asked) ?? half;
      if (cap < MIN_GAS) return false;
      gas = Math.min(gas, cap);
      return true;
    },
  };
}
