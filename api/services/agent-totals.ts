/** The totals over all agents, for everybody who asks at the same time. */
import { type AgentTotals, agentTotals } from "../../db/agents.ts";
import type { ApiDeps } from "../deps.ts";

/** As old as lists from memory may be. */
const FRESH_MS = 2_000;

/**
 * Counting a million agents takes a tenth of a second, so it is done at most once in two seconds and once for each
 * block: totals are never older than the block the answer tells.
 */
export function totalsMemory({ db, index }: Pick<ApiDeps, "db" | "index">): () => Promise<AgentTotals> {
  let counted: { totals: Promise<AgentTotals>; block: number; at: number } | undefined;
  return () => {
    const at = performance.now();
    if (counted && counted.block >= index.block && at - counted.at < FRESH_MS) return counted.totals;
    const count = { totals: agentTotals(db), block: index.block, at };
    counted = count;
    count.totals.catch(() => {
      // A failure is nothing to remember.
      if (counted === count) counted = undefined;
    });
    return count.totals;
  };
}
