/** The address of an agent's card image: it changes exactly when the picture would, so that caches may keep it for ever. */
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { shownCred } from "../cred.ts";
import type { AgentFacts } from "../facts.ts";
import { mintOriginAt } from "../mint-origins.ts";
import { countedTraits } from "../traits.ts";
import type { Site } from "./site.ts";

/** Part of every hash: a new drawing of the same state is a new image. */
export const CARD_VERSION = 1;

/** Everything the card draws, and nothing else. */
export function cardState(facts: AgentFacts, now: Date) {
  const { score, tier } = shownCred(facts, now);
  return {
    version: CARD_VERSION,
    tokenId: facts.tokenId,
    name: facts.name,
    framework: facts.framework,
    agentName: facts.agentName,
    score,
    tier: tier.key,
    verified: facts.verified,
    soulbound: facts.soulbound,
    mintOrigin: mintOriginAt(facts.origin).name,
    traitCount: countedTraits(facts.traits).length,
    points: facts.points,
    mintedAt: facts.mintedAt,
  };
}

/** 16 hex digits that name the state of the card: the `v` of its URL and its ETag. */
export const cardHash = (facts: AgentFacts, now: Date): string =>
  bytesToHex(sha256(utf8ToBytes(JSON.stringify(cardState(facts, now))))).slice(0, 16);

export const imageUrl = (facts: AgentFacts, site: Site, now: Date): string =>
  `${site.publicUrl}/api/v2/aura/${facts.tokenId}.png?v=${cardHash(facts, now)}`;
