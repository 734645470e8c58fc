/** Cards for tests: an ordinary agent's facts and its card, each field replaceable. */
import type { AgentFacts, Proof } from "../../core/agents/facts.ts";
import { type CardFacts, cardFacts } from "../../core/card/facts.ts";

export const CARD_NOW = new Date("2026-06-01T12:00:00Z");

/** Registered on 12 March 2026, score 83, wallet, X and Farcaster proven. */
export const agentFacts = (replaced: Partial<AgentFacts> = {}): AgentFacts => ({
  tokenId: 7,
  agentAddress: "0xd8da6bf26964af9d7eed9e03e53415d37aa96045",
  walletConfirmed: true,
  owner: "0x1111111111111111111111111111111111111111",
  operator: null,
  name: "Meridian Oracle",
  framework: "openclaw",
  mintedAt: Date.parse("2026-03-12T23:59:59Z") / 1000,
  mintedBlock: 100,
  mintTx: "0xaa",
  verified: true,
  soulbound: true,
  origin: 1,
  generation: 2,
  mutationCount: 0,
  version: "1.0",
  points: 120,
  agentName: null,
  traits: [trait("Trader"), trait("Risk averse"), trait("linked-token"), trait("Analyst")],
  onchainPersonality: null,
  personalityAt: null,
  onchainNarrative: null,
  narrativeAt: null,
  profile: [],
  proofs: [proof("x"), proof("farcaster")],
  exchange: null,
  ethosScore: null,
  referralCode: null,
  cred: {
    score: 83,
    raw: { activity: 0, traits: 0, verify: 0, coinbase: 0, age: 0, narrative: 0, origin: 0, soulbound: 0 },
    seenBlock: 100,
    computedAt: "2026-06-01T00:00:00Z",
  },
  updatedBlock: 100,
  ...replaced,
});

export const trait = (name: string) => ({ name, category: "skill", addedAt: "2026-03-13T00:00:00Z" });

export const proof = (platform: Proof["platform"], status: Proof["status"] = "verified"): Proof => ({
  platform,
  accountId: "1",
  handle: "meridian",
  username: null,
  status,
  verifiedAt: "2026-03-13T00:00:00Z",
  checkedAt: "2026-03-13T00:00:00Z",
  txHash: null,
  evidence: null,
});

export const cardOf = (replaced: Partial<CardFacts> = {}): CardFacts => ({
  ...cardFacts(agentFacts(), { now: CARD_NOW, serviceName: "Helixa" }),
  ...replaced,
});

/** Another value for every field of the card of `cardOf()`. */
export const OTHER_VALUES: CardFacts = {
  serviceName: "Other",
  tokenId: 8,
  name: "Meridian Oracl",
  framework: "eliza",
  agentAddress: "0x1111111111111111111111111111111111111111",
  score: 84,
  verifications: { ...cardOf().verifications, github: true },
  traits: ["Trader", "Analyst", "Risk averse"],
  moreTraits: 1,
  soulbound: false,
  generation: 3,
  mintedOn: "2026-03-13",
};
