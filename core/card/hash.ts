/** The content hash of a card: its ETag, its cache key and the `?v=` of its URL. */
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { tierOf } from "../cred/tiers.ts";
import { type CardFacts, MARKS } from "./facts.ts";

/** Version of the drawing. Raise it with every change of the picture: it invalidates what is cached anywhere. */
export const TEMPLATE = 2;

/** 32 hex digits over everything shown and the version of the drawing; the same for both sizes. */
export function cardHash(card: CardFacts): string {
  const shown = [
    TEMPLATE,
    card.serviceName,
    card.tokenId,
    card.name,
    card.framework,
    card.agentAddress,
    card.score,
    tierOf(card.score).label,
    MARKS.map(({ key }) => Number(card.verifications[key])).join(""),
    card.traits,
    card.moreTraits,
    card.soulbound,
    card.generation,
    card.mintedOn,
  ];
  return digestOf(shown);
}

/** 32 hex digits over values, in their order. */
export const digestOf = (values: readonly unknown[]): string =>
  bytesToHex(sha256(utf8ToBytes(JSON.stringify(values)))).slice(0, 32);
