/**
 * The request model: how many JSON-RPC requests a backfill makes and how long they take, as a pure function of what a
 * sample found. It follows Ponder's historical sync (ponder/src/runtime/historical.ts, ponder/src/sync-historical) and
 * the contract reads of src/; a test compares it with a real backfill.
 */
import type { BlockRange } from "../progress/meter.ts";

/** A share of the history with its density, as a sample found it. Blocks and events are sums over the whole share. */
export type Stratum = {
  range: BlockRange;
  /** Blocks with events that are not in the cache: each is requested once. */
  blocks: number;
  /** Events to index, those from the cache included. */
  events: number;
};

export type RequestPlan = {
  /** In the order of the blocks, without gaps. */
  strata: readonly Stratum[];
  /** Missing ranges of each log filter: Ponder requests the logs of each filter for itself. */
  filters: readonly (readonly BlockRange[])[];
  /** Events of the identity contract in a block, near the head. */
  identityEventsPerBlock: number;
  /** Contract reads by method. */
  reads: Readonly<Record<string, number>>;
  /** Max blocks of one eth_getLogs that the nodes accept; null: none was found. */
  logsRange: number | null;
  /** Lanes of all URLs together. */
  lanes: number;
  /** Requests a second that the node answered with 25 in flight, the number that Ponder has. */
  nodeRate: number;
};

export type Prediction = {
  requests: Record<string, number>;
  seconds: number;
};

/** Ponder's first interval; it grows by at most 1.5 towards 10 s, at most 100,000 blocks. */
const INTERVAL = { first: 25, growth: 1.5, targetMs: 10_000, max: 100_000 };
/** Answers to each range of logs, until one adds nothing (clients/rpc/whole-logs.ts). */
const LOOKS_PER_RANGE = 2;
/** Ponder's first range of eth_getLogs, and its growth after each answer without an error. */
const LOGS_RANGE = { first: 500, growth: 1.05 };
/** Requests a second of a lane: at first, at most, and the growth of 5 % after 5 s of full use. */
const LANE = { first: 20, max: 500, growth: 1.05, growthSeconds: 5 };
/** Milliseconds of work here for a fetched block and for an indexed event, measured with `npm run bench -- index`. */
const LOCAL_MS = { block: 1.2, event: 0.12 };
/** Seconds until Ponder has started, and from the last block to the switch of the views. */
const START_SECONDS = 8;
/** Requests of a start: chain ids, block 0, head, finalized, first and last block of Ponder and launcher. */
const START_REQUESTS = { eth_chainId: 2, eth_getBlockByNumber: 40 };
/** Blocks below the last one whose logs the pool reads together with the head (clients/rpc/node.ts). */
const LOGS_WITH_HEAD = 43_200;
/** Requests a second of the launcher's watchdog: the head and recorded hashes. */
export const WATCHDOG_RATE = 0.8;
/** Blocks above the last final one: Ponder reads each with its logs, and each event of an agent reads its wallet. */
const UNFINAL = { blocks: 30, readsPerEvent: 0.65 };

/** @returns requests by method, and seconds */
export function predictRequests(plan: RequestPlan): Prediction {
  const { strata, filters, logsRange, lanes, nodeRate } = plan;
  // Ponder begins behind what the cache has of every filter.
  const first = Math.min(...filters.map((missing) => missing[0]?.[0] ?? Number.POSITIVE_INFINITY));
  const last = strata.at(-1)?.range[1] ?? -1;
  const rateAt = (seconds: number) =>
    Math.min(nodeRate, lanes * Math.min(LANE.max, LANE.first * LANE.growth ** (seconds / LANE.growthSeconds)));
  const requests = { logs: 0, blocks: 0, heads: 0 };
  let range = LOGS_RANGE.first;
  let size = INTERVAL.first;
  let seconds = 0;
  for (let from = first; from <= last; ) {
    const to = Math.min(from + size, last);
    let logs = 0;
    for (const missing of filters) {
      const bounds = boundsWithin(missing, [from, to]);
      if (bounds === null) continue;
      logs += requestsOf(bounds, range, logsRange);
      range = Math.round(range * LOGS_RANGE.growth);
    }
    const { blocks, events } = densityOf(strata, [from, to]);
    const needed = LOOKS_PER_RANGE * logs + blocks;
    const local = (blocks * LOCAL_MS.block + events * LOCAL_MS.event) / 1_000;
    const spent = Math.max(needed / rateAt(seconds), local);
    requests.logs += logs;
    if (to > last - LOGS_WITH_HEAD) requests.heads += logs;
    requests.blocks += blocks;
    seconds += spent;
    if (needed > 0) {
      const paced = Math.round((INTERVAL.targetMs * (to - from)) / Math.max(spent * 1_000, 1));
      const grown = Math.round(size * INTERVAL.growth);
      size = Math.min(Math.max(INTERVAL.first, paced), grown, INTERVAL.max);
    }
    from = to + 1;
  }
  const reads = Object.values(plan.reads).reduce((sum, count) => sum + count, 0);
  const total =
    Math.max(seconds, (LOOKS_PER_RANGE * requests.logs + requests.blocks + reads) / rateAt(seconds)) + START_SECONDS;
  return {
    seconds: total,
    requests: rounded(
      sumOf([
        {
          eth_getLogs: LOOKS_PER_RANGE * requests.logs,
          eth_getBlockByNumber: requests.blocks + WATCHDOG_RATE * total,
          eth_blockNumber: LOOKS_PER_RANGE * requests.heads,
        },
        plan.reads,
        START_REQUESTS,
        unfinalRequests(plan),
      ]),
    ),
  };
}

const unfinalRequests = ({ identityEventsPerBlock }: RequestPlan): Record<string, number> => ({
  eth_getBlockByNumber: UNFINAL.blocks,
  eth_getLogs: UNFINAL.blocks,
  eth_call: UNFINAL.blocks * identityEventsPerBlock * UNFINAL.readsPerEvent,
});

/** Requests for the logs of a range: in chunks of Ponder's range, each in as many as the node's limit needs. */
function requestsOf([from, to]: BlockRange, range: number, limit: number | null): number {
  const blocks = to - from + 1;
  const chunk = Math.min(range, blocks);
  return Math.ceil(blocks / chunk) * Math.ceil(chunk / (limit ?? chunk));
}

/** The bounds of what is missing within a range, which Ponder fetches as one; null when nothing is. */
function boundsWithin(missing: readonly BlockRange[], [from, to]: BlockRange): BlockRange | null {
  const within = missing.filter(([first, last]) => first <= to && last >= from);
  if (within.length === 0) return null;
  return [Math.max(from, within[0]![0]), Math.min(to, within.at(-1)![1])];
}

/** Blocks and events of a range, at the density of the strata that it touches. */
function densityOf(strata: readonly Stratum[], [from, to]: BlockRange): { blocks: number; events: number } {
  const sum = { blocks: 0, events: 0 };
  for (const { range, blocks, events } of strata) {
    const shared = Math.min(to, range[1]) - Math.max(from, range[0]) + 1;
    if (shared <= 0) continue;
    const share = shared / (range[1] - range[0] + 1);
    sum.blocks += blocks * share;
    sum.events += events * share;
  }
  return sum;
}

/** The ranges of `whole` that none of `covered` contains; `covered` is in order. */
export function missingRanges([from, to]: BlockRange, covered: readonly BlockRange[]): BlockRange[] {
  const missing: BlockRange[] = [];
  let next = from;
  for (const [first, last] of covered) {
    if (first > to) break;
    if (first > next) missing.push([next, first - 1]);
    next = Math.max(next, last + 1);
  }
  if (next <= to) missing.push([next, to]);
  return missing;
}

function sumOf(counts: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const [name, count] of counts.flatMap(Object.entries)) sums[name] = (sums[name] ?? 0) + count;
  return sums;
}

const rounded = (counts: Record<string, number>): Record<string, number> =>
  Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, Math.round(count)]));
