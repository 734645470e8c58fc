/** One agent's facts for a route, by token id or address; and the site its views are shown in. */
import type { Config } from "../../config/config.ts";
import type { AgentRef } from "../../core/agents/facts.ts";
import type { OwnedFacts } from "../../core/agents/reservations.ts";
import { failNoAgent } from "../../core/errors.ts";
import { type PriceList, standardPrices } from "../../core/payments/prices.ts";
import type { Site } from "../../core/views/site.ts";
import { findFacts, type OwnRegistry } from "../../db/agents/facts.ts";
import type { ReadFacts } from "../../db/agents/facts-reader.ts";
import type { Queryable } from "../../db/sql/transaction.ts";

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

/** How the service's agents are named. */
export const ownRegistry = ({ contracts }: Config): OwnRegistry => ({ identity: contracts.identity.address });

/** @param prices those in force, where a view shows any; the configuration's unless given */
export const siteOf = (
  { service, contracts, pricing }: Config,
  prices: PriceList = standardPrices(pricing.phase),
): Site => ({
  serviceName: service.name,
  publicUrl: service.publicUrl,
  webUrl: service.webUrl,
  explorer: service.explorer,
  contract: contracts.identity.address,
  prices,
});
