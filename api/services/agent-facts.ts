/** One agent's facts for a route, by whatever the route was given; and the site its views are shown in. */

import type { Config } from "../../config.ts";
import { checksum } from "../../core/addresses.ts";
import { fail } from "../../core/errors.ts";
import type { AgentFacts } from "../../core/facts.ts";
import type { Site } from "../../core/views/site.ts";
import { findTokenId, loadFacts } from "../../db/facts.ts";
import type { Queryable } from "../../db/transaction.ts";
import type { AgentRef } from "../parameters.ts";

/** @throws Failure not_found */
export async function factsOf(db: Queryable, ref: AgentRef): Promise<AgentFacts> {
  const tokenId = "tokenId" in ref ? ref.tokenId : await findTokenId(db, ref.address);
  const [facts] = tokenId === null ? [] : await loadFacts(db, [tokenId]);
  if (facts) return facts;
  return "tokenId" in ref
    ? fail("not_found", `There is no agent ${ref.tokenId}.`)
    : fail("not_found", `There is no agent with the wallet ${checksum(ref.address)}.`);
}

export const siteOf = ({ service, contracts, pricing }: Config): Site => ({
  serviceName: service.name,
  publicUrl: service.publicUrl,
  webUrl: service.webUrl,
  explorer: service.explorer,
  contract: contracts.identity.address,
  phase: pricing.phase,
});
