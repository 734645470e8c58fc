/** What one agent of the directory offers, and what one should know before it is called or paid. */
import { z } from "zod";
import type { Address } from "../../core/agents/facts.ts";
import { OWN_PLATFORM } from "../../core/directory/platforms.ts";
import { offeringSchema, offeringView } from "../../core/views/offering.ts";
import { findDirectoryId } from "../../db/directory/rows.ts";
import { offeringOf } from "../../db/discovery/offering.ts";
import { endpoint } from "../endpoint.ts";
import { minBlock } from "../parameters.ts";
import { behindAgent } from "../services/behind.ts";
import { unknownAgent } from "../services/directory-agent.ts";
import { waitForDirectory } from "../services/directory-at.ts";
import { ofPlatform, ref } from "./directory-claims.ts";

export const terminalOffers = endpoint({
  path: "/api/terminal/agent/{ref}/offers",
  operationId: "getTerminalOffers",
  tag: "Terminal",
  summary:
    "What an agent offers at which price, who stands behind it, whether its endpoints answer, what it is trusted by, and who resembles it",
  description:
    "Texts, addresses, terms and prices are the agent's own; `receiver` says whose wallet the terms of payment name. Agents of the same name and of the same endpoints are named, the oldest first.",
  data: true,
  params: z.object({ ref }),
  query: z.object({ minBlock, platform: ofPlatform }),
  responses: { 200: { description: "Its offers", schema: offeringSchema } },
  errors: ["not_found"],
  async handler({ deps, params, query, now }, json) {
    const { db } = deps;
    await waitForDirectory(deps, query.minBlock);
    const id = await findDirectoryId(db, params.ref, query.platform);
    const offering = id === null ? null : await offeringOf(db, id, new Date(now));
    if (offering === null) return unknownAgent();
    const { platform, tokenId, ownerAddress } = offering;
    const own = platform === OWN_PLATFORM && tokenId !== null ? await deps.facts({ tokenId }) : null;
    const owner = own?.owner ?? (ownerAddress as Address | null);
    const { contracts, attestationSchemas } = deps.config;
    const behind = await behindAgent(db, {
      owner,
      own,
      identity: contracts.identity.address,
      schema: attestationSchemas[0]!,
      now: new Date(now),
    });
    return json(offeringView(offering, behind));
  },
});
