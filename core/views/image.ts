/** The URL of an agent's card image. It changes whenever the picture changes, so caches may keep an image without limit. */
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import type { AgentFacts } from "../agents/facts.ts";
import { countedTraits } from "../agents/traits.ts";
import { TEMPLATE } from "../card/hash.ts";
import { exchangeCounts, shownCred, validProofs } from "../cred/cred.ts";
import type { Site } from "./site.ts";

/**
 * Hash of all inputs of a card (core/card/facts.ts), 16 hex digits. It is computed before texts are cut to fit: lists
 * need the hash of every agent, and the layout of each card would cost more than the rest of the answer.
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
    validProofs(facts).map((proof) => proof.platform),
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
