/** The watchdog: what Ponder does not notice or survives silently, noticed from outside. */
import type pg from "pg";
import { findFork, lookAtWitnesses, type Progress, type Verdict } from "./block-hashes.ts";
import { type Node, NodeUnavailable } from "./node.ts";
import type { PonderNews } from "./ponder-process.ts";

/** The head moves and the index does not for this long: it hangs. */
const STALL_MS = 20_000;

/** What the launcher has to do. */
export type Alarm =
  /** Blocks the index took as final are gone from the chain: only a new index from `forkBlock` on can be right. */
  | { kind: "replaced"; forkBlock: number; reason: string }
  /** The index stands still for no reason of the chain: start it again. */
  | { kind: "stalled"; reason: string };

export type Watchdog = {
  /** The chain's head at the last look; null before the first answer of the node. */
  readonly head: number | null;
  /** The last look saw a replaced block; the next one decides. */
  readonly suspicious: boolean;
  /** One look. A node that does not answer means "nothing can be said", kept in `trouble`. */
  look(progress: Progress | null): Promise<Alarm | null>;
  /** Why the last look could not be completed; null when it was. */
  readonly trouble: string | null;
};

/**
 * Watches one run of Ponder on `schema`.
 * A replaced block must be seen replaced on two looks in a row: a single answer may come from a node that has not
 * settled. A node that lacks the block says nothing at all.
 */
export function watch(options: {
  db: pg.ClientBase;
  node: Node;
  chainId: number;
  schema: string;
  news: PonderNews;
  /** Milliseconds, monotonic. */
  now?: () => number;
}): Watchdog {
  const { db, node, chainId, schema, news, now = () => performance.now() } = options;
  let head: number | null = null;
  let trouble: string | null = null;
  let suspicion: Verdict | null = null;
  let moved: { block: number; at: number } | null = null;

  function stalled(progress: Progress, chainHead: number): boolean {
    if (moved === null || moved.block !== progress.block || chainHead <= progress.block) {
      moved = { block: progress.block, at: now() };
      return false;
    }
    return now() - moved.at > STALL_MS;
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
    async look(progress) {
      try {
        head = (await node.head()).block;
        const verdict = await lookAtWitnesses(db, node, chainId, schema);
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
        if (!progress.ready || !stalled(progress, head)) return null;
        // Ponder saw what no witness tells.
        if (news.beyondFinality)
          return replaced(await findFork(db, node, chainId, progress.finalizedBlock), progress.finalizedBlock);
        return { kind: "stalled", reason: `the index stands at block ${progress.block} while the chain is at ${head}` };
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
