/** Pages of agents with their facts: the ids from memory, or everything from one snapshot of the database. */
import type { AgentFacts } from "../../core/agents/facts.ts";
import { loadFacts } from "../../db/agents/facts.ts";
import { type AgentPage, listAgents } from "../../db/lists/agent-list-sql.ts";
import type { AgentQuery } from "../../db/lists/agents.ts";
import { listSnapshot } from "../../db/sql/list-budget.ts";
import type { HandlerDeps } from "../handler-deps.ts";

/**
 * The facts are in the order of the page's token ids; an agent removed between the two reads is left out. The answer
 * includes the block that the response names (`X-Indexed-Block`, at least `minBlock`): memory that is behind it leaves
 * the answer to SQL.
 */
export async function pageOfAgents(
  { db, agentList, index }: Pick<HandlerDeps, "db" | "agentList" | "index">,
  query: AgentQuery,
): Promise<{ page: AgentPage; facts: AgentFacts[] }> {
  const remembered = await agentList?.recall(query, index.block);
  if (remembered) return { page: remembered, facts: await loadFacts(db, remembered.tokenIds) };
  return listSnapshot(db, async (tx) => {
    const page = await listAgents(tx, query);
    return { page, facts: await loadFacts(tx, page.tokenIds) };
  });
}
