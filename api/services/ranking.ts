/** Where a score stands among all agents. */
import { listAgents } from "../../db/agents.ts";
import type { AgentQuery } from "../../db/lists/agents.ts";
import type { Queryable } from "../../db/transaction.ts";
import type { ApiParts } from "../deps.ts";

/** Rank 1 is best, ties share it. */
export type Standing = { rank: number; totalAgents: number };

const EVERYBODY: AgentQuery = { spam: true, sort: "credScore", order: "desc", limit: 1, position: { offset: 0 } };

/**
 * Counted as lists are, so that report and leaderboard agree: from memory, which counts a million agents in a
 * millisecond, or by SQL.
 * @param tx the transaction the rest of the answer is read in
 */
export async function standingOf(
  { agentList, index }: Pick<ApiParts, "agentList" | "index">,
  tx: Queryable,
  score: number,
): Promise<Standing> {
  const count = async (query: AgentQuery) =>
    ((await agentList?.recall(query, index.block)) ?? (await listAgents(tx, query))).total;
  const above = await count({ ...EVERYBODY, minScore: score + 1 });
  return { rank: above + 1, totalAgents: await count(EVERYBODY) };
}
