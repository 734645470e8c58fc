/** Records the launcher's progress in Postgres, once a second, without delaying the launcher. */
import type { RpcNodeStats } from "../../clients/ports.ts";
import type { BackfillProgress, LastFailure, NodeProgress } from "../../core/views/backfill.ts";
import { writeBackfillProgress } from "../../db/operations/backfill-progress.ts";
import type { Queryable } from "../../db/sql/transaction.ts";
import { failureNow } from "../ponder-process.ts";
import { cachedRanges } from "../ponder-tables.ts";
import type { Report } from "../run.ts";
import { type BlockRange, type IndexedContract, progressMeter, type Sample } from "./meter.ts";
import { readPonderCounters } from "./ponder-metrics.ts";

const sumOf = (counts: Readonly<Record<string, number>>) =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

/** What the progress of a backfill shows of each node of the pool. @param stats of the pool in Ponder's process */
export function nodeProgress(stats: RpcNodeStats): Omit<NodeProgress, "requestsPerSecond"> {
  const { host, requests, refused } = stats;
  return { host, state: stateOf(stats), requests: sumOf(requests), failed: sumOf(refused) };
}

/** The state in words, with what was learned of the node. */
function stateOf({ state, since, logsRange, perSecond }: RpcNodeStats): string {
  if (state === "wrong_chain") return "serves another chain, left out";
  if (state === "silent") return `silent since ${new Date(since ?? 0).toISOString().slice(11, 19)} UTC`;
  const limits = [
    ...(logsRange === null ? [] : [`logs of ${logsRange} blocks`]),
    ...(perSecond === null ? [] : [`${Math.round(perSecond)} requests/s`]),
  ];
  return limits.length === 0 ? "ready" : `ready, at most ${limits.join(", ")}`;
}

/** Milliseconds between two records of a backfill. */
const RECORD_MS = 1_000;
/** Milliseconds between two records of an index that follows the head. */
const RECORD_DONE_MS = 30_000;
/** Milliseconds between two reads of what the cache has. */
const CACHE_MS = 5_000;

export type Recorder = {
  /** Takes a report of the running index; reads Ponder's counters and writes the record when one is due. */
  report(db: Queryable, report: Report): void;
  /** Takes why the indexer cannot run now, and writes the record. */
  failed(db: Queryable, reason: string): Promise<void>;
  /** The last record; undefined before the first. */
  readonly last: BackfillProgress | undefined;
};

/**
 * @param options.endBlock last block to index; undefined: the head
 * @param options.write stores a record; by default the one that `/status` and metrics read
 */
export function progressRecorder(options: {
  chainId: number;
  contracts: readonly IndexedContract[];
  endBlock: number | undefined;
  write?: (db: Queryable, progress: BackfillProgress) => Promise<void>;
}): Recorder {
  const { chainId, contracts, endBlock, write = writeBackfillProgress } = options;
  const now = () => performance.now();
  const meter = progressMeter({ contracts, endBlock, startedAt: new Date().toISOString(), now });
  let sample: Sample = EMPTY;
  let cached: ReadonlyMap<string, readonly BlockRange[]> = new Map();
  let cachedAt = Number.NEGATIVE_INFINITY;
  let recordedAt = Number.NEGATIVE_INFINITY;
  let working = false;
  /** The last failure of the current run of Ponder: usually the reason of its end. */
  let cause: LastFailure | null = null;
  let last: BackfillProgress | undefined;

  async function record(db: Queryable, next: Sample): Promise<void> {
    sample = next;
    last = meter.add(next);
    await write(db, last);
  }

  async function sampleAndRecord(db: Queryable, report: Report): Promise<void> {
    cause = report.lastFailure;
    const counters = await readPonderCounters(report.metricsUrl);
    // Of an index that follows the head nothing is left to fetch.
    if (!report.published && now() - cachedAt >= CACHE_MS) {
      cachedAt = now();
      cached = await cachedRanges(db, chainId);
    }
    await record(db, {
      run: report.run,
      block: report.progress?.block ?? null,
      head: report.head,
      published: report.published,
      counters,
      cached,
      nodes: report.nodes.map(nodeProgress),
      lastFailure: newer(report.lastFailure, sample.lastFailure),
    });
  }

  return {
    get last() {
      return last;
    },
    report(db, report) {
      const due = last?.state === "done" && report.published ? RECORD_DONE_MS : RECORD_MS;
      if (working || now() - recordedAt < due) return;
      working = true;
      recordedAt = now();
      // A lost connection ends the session by itself; the next session writes again.
      sampleAndRecord(db, report)
        .catch(() => {})
        .finally(() => {
          working = false;
        });
    },
    async failed(db, reason) {
      const lastFailure = failureNow(cause === null ? reason : `${reason}: ${cause.reason}`);
      cause = null;
      await record(db, { ...sample, published: false, lastFailure }).catch(() => {});
    },
  };
}

/** The later of two failures. */
function newer(a: LastFailure | null, b: LastFailure | null): LastFailure | null {
  if (a === null || b === null) return a ?? b;
  return a.at >= b.at ? a : b;
}

const EMPTY: Sample = {
  run: 0,
  block: null,
  head: null,
  published: false,
  counters: null,
  cached: new Map(),
  nodes: [],
  lastFailure: null,
};
