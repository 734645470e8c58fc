/** The backfill's progress: one record that the indexer's launcher writes and the terminal, `/status` and metrics read. */
import { statement, t } from "../sql/statement.ts";
import { type Queryable, withoutIndex } from "../sql/transaction.ts";

/** How far one contract's history is fetched and indexed. */
export type ContractProgress = {
  name: string;
  /** Of its history. */
  fromBlock: number;
  /** Blocks of its history whose logs are in the cache. */
  fetchedBlocks: number;
  /** Blocks of its history up to `toBlock`. */
  totalBlocks: number;
  /** Events indexed since the indexer's start. */
  events: number;
  eventsPerSecond: number;
};

/** Requests to one node since the indexer's start. */
export type NodeProgress = {
  /** Host of its URL; paths and queries can contain keys. */
  host: string;
  /** In words: "ready", or why it is left out. */
  state: string;
  requests: number;
  requestsPerSecond: number;
  /** Requests that ended without a result. */
  failed: number;
};

/** A failure with its ISO time: "host method: the node's own words", without paths and keys of URLs. */
export type LastFailure = { at: string; reason: string };

/** A failure of this moment. */
export const failureNow = (reason: string): LastFailure => ({ at: new Date().toISOString(), reason });

/** Blocks are numbers, rates are means of the last minute. */
export type BackfillProgress = {
  /** `starting`: Ponder has not reported a block yet. `done`: the index is served and follows the head. */
  state: "starting" | "running" | "done";
  /** The first of any contract. */
  fromBlock: number;
  /** Last indexed block; null before the first. */
  block: number | null;
  /** Block up to which every contract is fetched; null before the first. */
  fetchedBlock: number | null;
  /** The head, or the last block to index; null before a node has answered. */
  toBlock: number | null;
  /** Share of the blocks that is indexed, 0 to 1. */
  progress: number;
  events: number;
  eventsPerSecond: number;
  /** JSON-RPC requests by method since the indexer's start. */
  requests: Record<string, number>;
  requestsPerSecond: number;
  /** Estimate from the last minutes; null while it is unknown. */
  secondsLeft: number | null;
  /** Seconds without progress; null while there is progress (the last minute had some). */
  stalledSeconds: number | null;
  /** Null when there was none since the indexer's start. */
  lastFailure: LastFailure | null;
  contracts: ContractProgress[];
  nodes: NodeProgress[];
  /** ISO time. */
  startedAt: string;
};

/**
 * Seconds without a new record after which the indexer counts as stopped: it writes each second, and at least every 30 s
 * while it cannot run.
 */
const SILENT_SECONDS = 60;

/** DDL of the record's table; part of the schema that the launcher owns. */
export const BACKFILL_PROGRESS_DDL = `
  create table if not exists onchain.backfill_progress (
    one boolean primary key default true check (one),
    progress jsonb not null,
    recorded_at timestamptz not null
  );`;

/** Replaces the record. */
export const writeBackfillProgress = statement({
  name: "backfill-progress-write",
  given: (progress: BackfillProgress) => ({ progress }),
  params: { progress: t.jsonb<BackfillProgress>() },
  text: `
    insert into onchain.backfill_progress (progress, recorded_at) values ($progress, now())
    on conflict (one) do update set progress = excluded.progress, recorded_at = now()`,
}).run;

const READ = statement({
  name: "backfill-progress-read",
  text: `
    select progress, extract(epoch from now() - recorded_at)::float8 as age,
           recorded_at < now() - interval '${SILENT_SECONDS} seconds' as silent
    from onchain.backfill_progress`,
  columns: { progress: t.jsonb<BackfillProgress>(), age: t.float8, silent: t.bool },
  prepared: true,
});

/** The record with its age in seconds. `silent`: the indexer has not written for a minute, so it does not run. */
export type RecordedProgress = BackfillProgress & { age: number; silent: boolean };

/** @returns null while no indexer has recorded progress in this database */
export async function readBackfillProgress(db: Queryable): Promise<RecordedProgress | null> {
  const row = await READ.maybeOne(db).catch(withoutIndex(null));
  return row && { ...row.progress, age: row.age, silent: row.silent };
}
