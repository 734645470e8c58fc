/** The watchdog: detects from outside what Ponder does not notice, and failures that it does not report. */
import type { Queryable } from "../db/sql/transaction.ts";
import { checkBlockHashes, findFork, type Verdict } from "./block-hashes.ts";
import { type Node, NodeUnavailable } from "./node.ts";
import type { PonderFailures } from "./ponder-process.ts";
import type { Progress } from "./ponder-tables.ts";

/** Milliseconds without progress, while the head moves, after which the index counts as stalled. */
const STALL_MS = 20_000;

/** What the launcher must do. */
export type Alarm =
  /** Blocks that are final for the index were replaced: only a new index from `forkBlock` on is correct. */
  | { kind: "replaced"; forkBlock: number; reason: string }
  /** The index makes no progress and the chain is not the reason: restart it. */
  | { kind: "stalled"; reason: string };

export type Watchdog = {
  /** The chain's head at the last check; null before the node has answered. */
  readonly head: number | null;
  /** The last check found a replaced block; the next one decides. */
  readonly suspicious: boolean;
  /** Runs one check. A node that does not answer allows no judgement; the reason is kept in `trouble`. */
  check(progress: Progress | null): Promise<Alarm | null>;
  /** Why the last check is incomplete; null when it is complete. */
  readonly trouble: string | null;
};

/**
 * Watches one run of Ponder on `schema`.
 * Only two checks in a row that find a block replaced raise the alarm: a single answer can come from a node that has not
 * settled. A node that does not have the block allows no judgement.
 */
export function watch(options: {
  db: Queryable;
  node: Node;
  chainId: number;
  schema: string;
  failures: PonderFailures;
  stallMs?: number | undefined;
  /** Milliseconds, monotonic. */
  now?: () => number;
}): Watchdog {
  const { db, node, chainId, schema, failures, stallMs = STALL_MS, now = () => performance.now() } = options;
  let head: number | null = null;
  let trouble: string | null = null;
  let suspicion: Verdict | null = null;
  let lastProgress: { block: number; at: number } | null = null;

  function isStalled(progress: Progress, chainHead: number): boolean {
    if (lastProgress === null || lastProgress.block !== progress.block || chainHead <= progress.block) {
      lastProgress = { block: progress.block, at: now() };
      return false;
    }
    return now() - lastProgress.at > stallMs;
  }

  return {
    get head() {
      return head;
    },
    get trouble() {
      return trouble;
    },
    get suspicious() {
      return suspicion !== null;
    },
    async check(progress) {
      try {
        head = (await node.head()).block;
        const verdict = await checkBlockHashes(db, node, chainId, progress && { schema, progress });
        if (verdict.kind === "replaced") {
          const confirmed = suspicion?.kind === "replaced";
          suspicion = verdict;
          return confirmed ? replaced(verdict.forkBlock, verdict.block) : null;
        }
        suspicion = null;
        if (verdict.kind === "behind") {
          trouble = `the node has not reached block ${verdict.block}, which is indexed as final`;
          return null;
        }
        trouble = null;
        if (progress === null) return null;
        if (!progress.ready || !isStalled(progress, head)) return null;
        // Ponder has reported a replaced block that no recorded hash shows.
        if (failures.beyondFinality)
          return replaced(await findFork(db, node, chainId, progress.finalizedBlock), progress.finalizedBlock);
        return { kind: "stalled", reason: `the index is at block ${progress.block} while the chain is at ${head}` };
      } catch (error) {
        if (!(error instanceof NodeUnavailable)) throw error;
        trouble = error.message;
        return null;
      }
    },
  };
}

const replaced = (forkBlock: number, block: number): Alarm => ({
  kind: "replaced",
  forkBlock,
  reason: `reorg deeper than finality: block ${block} was replaced`,
});
