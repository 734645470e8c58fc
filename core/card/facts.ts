/** Everything a card shows about an agent, in one value; the picture depends on nothing else. */
import { checksum } from "../addresses.ts";
import type { Address, AgentFacts } from "../agents/facts.ts";
import { countedTraits } from "../agents/traits.ts";
import { exchangeCounts, shownCred, validProofs } from "../cred/cred.ts";
import { byProofPlatform, PROOF_PLATFORMS } from "../proof-platforms.ts";
import { oneLine } from "./line.ts";
import { fitChips } from "./measure.ts";

/** The marks of a card in the order drawn: their key, letter and label. */
export const MARKS = [
  { key: "wallet", letter: "W", label: "Wallet" },
  ...PROOF_PLATFORMS.map(({ key, letter, label }) => ({ key, letter, label })),
  { key: "exchange", letter: "C", label: "Coinbase" },
] as const;
export type MarkKey = (typeof MARKS)[number]["key"];

/** Everything drawn on a card. Texts are one clean line each; the tier follows from the score. */
export type CardFacts = Pick<AgentFacts, "tokenId" | "framework" | "soulbound" | "generation"> & {
  serviceName: string;
  /** "" when nothing of the name can be shown. */
  name: string;
  /** Checksummed. */
  agentAddress: Address;
  /** Integer, 0 to 100. */
  score: number;
  verifications: Record<MarkKey, boolean>;
  /** Names of the traits that have a place on the card, in the order added. */
  traits: string[];
  moreTraits: number;
  /** UTC day of registration, `2026-03-12`. */
  mintedOn: string;
};

const NAME_LENGTH = 64;
const WORD_LENGTH = 32;
const TRAIT_LENGTH = 24;
/** Area for chips on the square card; the wide card shows the first of them. */
const TRAITS = { width: 856, rows: 2 };

/**
 * The card of an agent at a moment.
 * @param at.now decides whether the exchange's attestation is still valid, and the score while none is stored
 */
export function cardFacts(facts: AgentFacts, at: { now: Date; serviceName: string }): CardFacts {
  const proven = new Set(validProofs(facts).map((proof) => proof.platform));
  const traits = countedTraits(facts.traits)
    .map((trait) => oneLine(trait.name, TRAIT_LENGTH))
    .filter((name) => name !== "");
  const shown = fitChips(traits, 0, facts.soulbound, TRAITS.width, TRAITS.rows);
  return {
    serviceName: oneLine(at.serviceName, WORD_LENGTH),
    tokenId: facts.tokenId,
    name: oneLine(facts.name, NAME_LENGTH),
    framework: oneLine(facts.framework, WORD_LENGTH),
    agentAddress: checksum(facts.agentAddress),
    score: shownCred(facts, at.now).score,
    verifications: {
      wallet: facts.verified,
      ...byProofPlatform(({ key }) => proven.has(key)),
      exchange: exchangeCounts(facts, at.now),
    },
    traits: traits.slice(0, shown),
    moreTraits: traits.length - shown,
    soulbound: facts.soulbound,
    generation: facts.generation,
    mintedOn: new Date(facts.mintedAt * 1000).toISOString().slice(0, 10),
  };
}
