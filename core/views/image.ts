/** The address of an agent's card image: it changes whenever the picture does, so that caches may keep it for ever. */
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { TEMPLATE } from "../card/hash.ts";
import { exchangeCounts, shownCred, standingProofs } from "../cred.ts";
import type { AgentFacts } from "../facts.ts";
import { countedTraits } from "../traits.ts";
import type { Site } from "./site.ts";

/**
 * 16 hex digits over all that a card is drawn from (core/card/facts.ts), before it is cut to fit: lists need it for
 * every agent, and laying out each card for its hash would cost more than the rest of the answer.
 */
export function imageHash(facts: AgentFacts, site: Pick<Site, "serviceName">, now: Date): string {
  const drawnFrom = [
    TEMPLATE,
    site.serviceName,
    facts.tokenId,
    facts.name,
    facts.framework,
    facts.agentAddress,
    shownCred(facts, now).score,
    facts.verified,
    standingProofs(facts).map((proof) => proof.platform),
    exchangeCounts(facts, now),
    countedTraits(facts.traits).map((trait) => trait.name),
    facts.soulbound,
    facts.generation,
    facts.mintedAt,
  ];
  return bytesToHex(sha256(utf8ToBytes(JSON.stringify(drawnFrom)))).slice(0, 16);
}

export const imageUrl = (facts: AgentFacts, site: Site, now: Date): string =>
  `${site.publicUrl}/api/v2/aura/${facts.tokenId}.png?v=${imageHash(facts, site, now)}`;
