/** The meter of a backfill: from samples of counters to progress, rates, time left, and whether it has stalled. */
import type { BackfillProgress, LastFailure, NodeProgress } from "../../core/views/backfill.ts";
import type { PonderCounters } from "./ponder-metrics.ts";

/** Milliseconds over which rates are computed. */
const RATE_MS = 60_000;
/** Milliseconds over which the time left is computed: blocks with and without events alternate. */
const ETA_MS = 300_000;
/** Milliseconds between two samples that are kept for the rates. */
const KEEP_MS = 1_000;
/** Milliseconds without progress after which a backfill counts as stalled. */
const STALL_MS = 60_000;

/** First and last block, both included. */
export type BlockRange = [from: number, to: number];

/** A contract whose history is indexed. */
export type IndexedContract = { name: string; address: string; startBlock: number };

/** What one run of Ponder shows at one moment. Counters begin at 0 with each run. */
export type Sample = {
  /** Identifies the run; another one means that the counters began at 0 again. */
  run: number;
  block: number | null;
  head: number | null;
  published: boolean;
  /** Null while Ponder does not answer; the last known counters hold. */
  counters: PonderCounters | null;
  /** Blocks whose logs are in the cache, by address of the contract in lower case. */
  cached: ReadonlyMap<string, readonly BlockRange[]>;
  nodes: readonly Omit<NodeProgress, "requestsPerSecond">[];
  lastFailure: LastFailure | null;
};

type Point = {
  at: number;
  block: number | null;
  events: Record<string, number>;
  requests: number;
  nodes: Record<string, number>;
};

export type Meter = {
  /** Adds a sample. @returns the progress up to it */
  add(sample: Sample): BackfillProgress;
};

/**
 * @param options.endBlock last block to index; undefined: the head
 * @param options.startedAt ISO time of the indexer's start
 * @param options.now milliseconds, monotonic
 */
export function progressMeter(options: {
  contracts: readonly IndexedContract[];
  endBlock: number | undefined;
  startedAt: string;
  now: () => number;
}): Meter {
  const { contracts, endBlock, startedAt, now } = options;
  const fromBlock = Math.min(...contracts.map((contract) => contract.startBlock));
  const stall = stallDetector(now());
  let run: number | undefined;
  let known: PonderCounters = NO_COUNTERS;
  let points: Point[] = [];

  return {
    add(sample) {
      if (sample.run !== run) {
        run = sample.run;
        known = NO_COUNTERS;
        points = [];
      }
      known = sample.counters ?? known;
      const { block, head } = sample;
      const toBlock = head === null ? null : Math.min(head, endBlock ?? head);
      const fetchedBlock = highest(known.fetchedBlock, block);
      const answered = sumOf(known.answered);
      const point: Point = {
        at: now(),
        block,
        events: known.events,
        requests: answered + known.failed,
        nodes: Object.fromEntries(sample.nodes.map(({ host, requests }) => [host, requests])),
      };
      const rates = ratesOf(points, point);
      if (point.at - (points.at(-1)?.at ?? -KEEP_MS) >= KEEP_MS) points.push(point);
      points = points.filter(({ at }) => at > point.at - ETA_MS);
      const events = sumOf(known.events);
      const done = sample.published && block !== null && toBlock !== null && block >= toBlock - 1;
      const stalledMs = stall({ fetchedBlock, block, answered, events, done }, point.at);
      const left = block === null || toBlock === null ? null : toBlock - block;
      return {
        state: sample.published ? "done" : block === null && fetchedBlock === null ? "starting" : "running",
        fromBlock,
        block,
        fetchedBlock,
        toBlock,
        progress: shareOf(fromBlock, block, toBlock),
        events,
        eventsPerSecond: rates.of(({ events: counts }) => sumOf(counts)),
        requests: known.answered,
        requestsPerSecond: rates.of(({ requests }) => requests),
        secondsLeft: left === null ? null : left <= 0 ? 0 : rates.secondsFor(left),
        stalledSeconds: stalledMs === null ? null : Math.round(stalledMs / 1_000),
        lastFailure: sample.lastFailure,
        contracts: contracts.map(({ name, address, startBlock }) => ({
          name,
          fromBlock: startBlock,
          ...fetchedOf([startBlock, toBlock ?? startBlock], fetchedBlock, sample.cached.get(address) ?? []),
          events: known.events[name] ?? 0,
          eventsPerSecond: rates.of(({ events: counts }) => counts[name] ?? 0),
        })),
        nodes: sample.nodes.map((node) => ({
          ...node,
          requestsPerSecond: rates.of(({ nodes }) => nodes[node.host] ?? 0),
        })),
        startedAt,
      };
    },
  };
}

const NO_COUNTERS: PonderCounters = { fetchedBlock: null, events: {}, answered: {}, failed: 0 };

const sumOf = (counts: Record<string, number>) => Object.values(counts).reduce((sum, count) => sum + count, 0);

const highest = (a: number | null, b: number | null) => (a === null ? b : b === null ? a : Math.max(a, b));

/** Share of the blocks from `from` to `to` that is done at `block`, 0 to 1 in steps of 0.0001. */
function shareOf(from: number, block: number | null, to: number | null): number {
  if (block === null || to === null) return 0;
  if (to <= from) return 1;
  return Math.min(1, Math.max(0, Math.floor(((block - from) / (to - from)) * 10_000) / 10_000));
}

/** Rates per second between earlier points and the latest one. */
function ratesOf(earlier: readonly Point[], latest: Point) {
  const first = (withinMs: number) => earlier.find(({ at }) => at >= latest.at - withinMs);
  const secondsSince = (point: Point) => (latest.at - point.at) / 1_000;
  return {
    of(value: (point: Point) => number): number {
      const base = first(RATE_MS);
      if (base === undefined || latest.at === base.at) return 0;
      return Math.round(((value(latest) - value(base)) / secondsSince(base)) * 10) / 10;
    },
    /**
     * Seconds until `blocks` more blocks are indexed at the pace of the last minutes; null without a pace. Blocks are
     * committed in batches, so the pace ends at the last batch, and the time since then is already used.
     */
    secondsFor(blocks: number): number | null {
      const base = earlier.find(({ block }) => block !== null);
      const reached = earlier.find(({ block }) => block === latest.block) ?? latest;
      if (base === undefined || reached.block === null || reached.at === base.at) return null;
      const pace = (reached.block - base.block!) / (reached.at - base.at);
      return pace > 0 ? Math.max(1, Math.round((blocks / pace - (latest.at - reached.at)) / 1_000)) : null;
    },
  };
}

type Advance = {
  fetchedBlock: number | null;
  block: number | null;
  answered: number;
  events: number;
  done: boolean;
};

/**
 * Detects that nothing advances. Answered requests and indexed events count only where they exceed what earlier runs of
 * Ponder had at the same block: a run that fails at the same place each time repeats its first requests and is a stall.
 * @returns milliseconds since the last progress when these are more than a minute, else null
 */
function stallDetector(startedAt: number): (advance: Advance, at: number) => number | null {
  let progressAt = startedAt;
  const best = { fetchedBlock: -1, block: -1, answered: 0, events: 0 };
  return ({ fetchedBlock, block, answered, events, done }, at) => {
    const fetched = fetchedBlock ?? -1;
    const indexed = block ?? -1;
    if (done || fetched > best.fetchedBlock || indexed > best.block) {
      best.fetchedBlock = Math.max(fetched, best.fetchedBlock);
      best.block = Math.max(indexed, best.block);
      best.answered = answered;
      best.events = events;
      progressAt = at;
    } else if (answered > best.answered || events > best.events) {
      best.answered = Math.max(answered, best.answered);
      best.events = Math.max(events, best.events);
      progressAt = at;
    }
    return at - progressAt >= STALL_MS ? at - progressAt : null;
  };
}

/** How much of a contract's history is fetched: all up to `fetchedBlock`, and what the cache has beyond it. */
function fetchedOf(
  [from, to]: BlockRange,
  fetchedBlock: number | null,
  cached: readonly BlockRange[],
): { fetchedBlocks: number; totalBlocks: number } {
  const upTo = Math.max(from - 1, fetchedBlock ?? from - 1);
  const beyond = cached.map(([first, last]) => Math.min(last, to) - Math.max(first, upTo + 1) + 1);
  const fetchedBlocks = Math.min(upTo, to) - from + 1 + beyond.reduce((sum, blocks) => sum + Math.max(0, blocks), 0);
  return { fetchedBlocks: Math.max(0, fetchedBlocks), totalBlocks: Math.max(0, to - from + 1) };
}
