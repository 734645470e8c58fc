/** How far a backfill has got: as the indexer's launcher records it, and as the status shows it. */
import { array, object, z } from "zod";
import { count, moment } from "./fields.ts";

const share = z.number().min(0).max(1);
const rate = z.number().min(0);
/** Blocks are numbers, rates are means of the last minute. */
export const backfillSchema = object({
  state: z.enum(["starting", "running", "stalled", "stopped", "done"]).meta({
    description:
      "stalled: a minute without progress, `lastFailure` says why; stopped: no indexer runs; done: the index is served and follows the head",
  }),
  fromBlock: count.meta({ description: "First block of any contract" }),
  block: count.nullable().meta({ description: "Last indexed block" }),
  fetchedBlock: count.nullable().meta({ description: "Block up to which every contract is fetched" }),
  toBlock: count.nullable().meta({ description: "The head, or the last block to index" }),
  progress: share,
  events: count.meta({ description: "Events indexed since the indexer's start" }),
  eventsPerSecond: rate,
  requests: z.record(z.string(), count).meta({ description: "JSON-RPC requests by method since the indexer's start" }),
  requestsPerSecond: rate,
  /** Estimate from the last minutes. */
  secondsLeft: count.nullable(),
  stalledSeconds: count.nullable().meta({ description: "Seconds without progress; null below a minute" }),
  /** "host method: the node's own words", without paths and keys of URLs. */
  lastFailure: object({ at: moment, reason: z.string() }).nullable(),
  contracts: array(
    object({
      name: z.string(),
      /** Of its history. */
      fromBlock: count,
      /** Blocks of its history whose logs are in the cache. */
      fetchedBlocks: count,
      /** Blocks of its history up to `toBlock`. */
      totalBlocks: count,
      /** Indexed since the indexer's start. */
      events: count,
      eventsPerSecond: rate,
    }),
  ),
  nodes: array(
    object({
      /** Of its URL; paths and queries can contain keys. */
      host: z.string(),
      /** In words: "ready", or why it is left out. */
      state: z.string(),
      requests: count,
      requestsPerSecond: rate,
      /** Requests that ended without a result. */
      failed: count,
    }),
  ),
  startedAt: moment,
  updatedAt: moment,
});
type BackfillView = z.output<typeof backfillSchema>;

/** What is recorded. `starting`: Ponder has not reported a block yet. */
export type BackfillProgress = Omit<BackfillView, "state" | "updatedAt"> & { state: "starting" | "running" | "done" };
/** How far one contract's history is fetched and indexed. */
export type ContractProgress = BackfillView["contracts"][number];
/** Requests to one node since the indexer's start. */
export type NodeProgress = BackfillView["nodes"][number];
export type LastFailure = NonNullable<BackfillView["lastFailure"]>;
