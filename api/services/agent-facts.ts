/** One agent's facts for a route, by token id or address. */
import type { Config } from "../../config/config.ts";
import { checksum } from "../../core/addresses.ts";
import type { OwnedFacts } from "../../core/agents/caveats.ts";
import type { AgentFacts, AgentRef } from "../../core/agents/facts.ts";
import { OWN_PLATFORM, rowRef } from "../../core/directory/platforms.ts";
import { fail, failNoAgent } from "../../core/errors.ts";
import { listed } from "../../core/text.ts";
import { unixSeconds } from "../../core/times.ts";
import { walletAttested } from "../../db/agents/attestations.ts";
import { findFacts, loadFacts } from "../../db/agents/facts.ts";
import type { ReadFacts } from "../../db/agents/facts-reader.ts";
import { agentsToWrite } from "../../db/agents/wallets.ts";
import { type AgentPage, countAgents, listAgents } from "../../db/lists/agent-list-sql.ts";
import type { AgentQuery } from "../../db/lists/agents.ts";
import { listSnapshot } from "../../db/sql/list-budget.ts";
import type { Queryable } from "../../db/sql/transaction.ts";
import { ownRegistry } from "../deps.ts";
import type { HandlerDeps } from "../handler-deps.ts";

/**
 * @param source the API's shared reader, or the transaction that the rest of the answer is read in
 * @throws Failure not_found
 */
export async function factsOf(
  source: ReadFacts | { db: Queryable; config: Config },
  ref: AgentRef,
): Promise<OwnedFacts> {
  const facts =
    typeof source === "function"
      ? await source(ref)
      : (await findFacts(source.db, [ref], ownRegistry(source.config)))[0];
  return facts ?? failNoAgent(ref);
}

/** The token id of an agent that a path names. @throws Failure not_found for a wallet without an agent */
export const tokenIdOf = async ({ facts }: { facts: ReadFacts }, ref: AgentRef): Promise<number> =>
  "tokenId" in ref ? ref.tokenId : (await factsOf(facts, ref)).tokenId;

/**
 * The token id of the agent that a write is about: as `tokenIdOf`, but an address that only names several agents means
 * none of them, because anybody can mint a token that names any wallet.
 * @throws Failure not_found; conflict, with the references of the agents
 */
export async function writtenTokenId({ db }: { db: Queryable }, ref: AgentRef): Promise<number> {
  if ("tokenId" in ref) return ref.tokenId;
  const agents = await agentsToWrite(db, { wallet: ref.address });
  if (agents.length === 1) return agents[0]!.token_id;
  if (agents.length === 0) return failNoAgent(ref);
  const candidates = agents.map(({ token_id }) => rowRef(OWN_PLATFORM, token_id));
  return fail("conflict", `Several agents have the wallet ${checksum(ref.address)}: ${listed(candidates)}.`, {
    hint: "Name the agent by its token id.",
    extra: { candidates },
  });
}

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

/** Whether the exchange vouches for an agent's owner now. */
export const ownerAttested = (
  { config }: Pick<HandlerDeps, "config">,
  db: Queryable,
  { owner }: Pick<AgentFacts, "owner">,
  at: Date,
): Promise<boolean> =>
  walletAttested(db, { wallet: owner, schema: config.attestationSchemas[0]!, now: unixSeconds(at) });

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
