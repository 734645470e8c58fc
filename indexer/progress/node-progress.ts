/** What the progress of a backfill shows of each node of the pool. */
import type { RpcNodeStats } from "../../clients/ports.ts";
import type { NodeProgress } from "../../db/operations/backfill-progress.ts";

const sumOf = (counts: Readonly<Record<string, number>>) =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

/** @param stats of the pool in Ponder's process */
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
