/** The rank of a score among all agents. */
import { countAgents } from "../../db/lists/agent-list-sql.ts";
import type { AgentQuery } from "../../db/lists/agents.ts";
import type { Queryable } from "../../db/sql/transaction.ts";
import type { HandlerDeps } from "../handler-deps.ts";

/** Rank 1 is the best; equal scores share a rank. */
export type CredRank = { rank: number; totalAgents: number };

const ALL_AGENTS: AgentQuery = { spam: true, sort: "credScore", order: "desc", limit: 1, position: { offset: 0 } };

/**
 * Counted as lists are, so that report and leaderboard agree: from memory, which counts a million agents in a
 * millisecond, or by SQL.
 * @param tx the transaction in which the rest of the answer is read
 */
export async function credRankOf(
  { agentList, index }: Pick<HandlerDeps, "agentList" | "index">,
  tx: Queryable,
  score: number,
): Promise<CredRank> {
  const count = async (query: AgentQuery) =>
    (await agentList?.recall(query, index.block))?.total ?? (await countAgents(tx, query));
  const above = await count({ ...ALL_AGENTS, minScore: score + 1 });
  return { rank: above + 1, totalAgents: await count(ALL_AGENTS) };
}
