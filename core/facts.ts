/** Everything known about an agent at one moment, as loaded in one snapshot. Score, JSON, metadata and card are pure functions of it and a clock value. */

import type { Json } from "./json.ts";
import type { ProofPlatformKey } from "./proof-platforms.ts";

export type Address = `0x${string}`;
export type Hex = `0x${string}`;

/** How one agent is asked for: by its token id, or by its wallet (its own agent; see db/wallets.ts). */
export type AgentRef = { tokenId: number } | { address: Address };

export type Personality = {
  quirks: string;
  communicationStyle: string;
  values: string;
  humor: string;
  riskTolerance: number;
  autonomyLevel: number;
};
export type Narrative = { origin: string; mission: string; lore: string; manifesto: string };

export type Trait = { name: string; category: string /** ISO 8601 */; addedAt: string };

export type Proof = {
  platform: ProofPlatformKey;
  accountId: string;
  handle: string;
  username: string | null;
  status: "verified" | "stale" | "lapsed";
  verifiedAt: string;
  checkedAt: string;
  txHash: Hex | null;
  evidence: unknown;
};

/** A successful exchange verification by an owner, beside the attestation of that owner which it rests on now. */
export type ExchangeVerification = {
  /** Of the valid ones the one that lasts longest. */
  attestationUid: Hex;
  /** The owner who was attested. */
  recipient: Address;
  /** Unix seconds; 0 = never. */
  expiresAt: number;
  /** Unix seconds of the revocation the index has seen, when all are revoked; 0 = none. */
  revokedAt: number;
  verifiedAt: string;
};

/** `raw`: the raw value of each signal by its key, integers 0 to 100; `shownCred` (core/cred.ts) gives it its type. */
export type StoredCred = { score: number; raw: Record<string, number>; seenBlock: number; computedAt: string };

export type AgentFacts = {
  tokenId: number;
  agentAddress: Address;
  /** The agent's wallet owns the token, verified it, or registered it here. False: the token only names that wallet. */
  walletConfirmed: boolean;
  owner: Address;
  operator: Address | null;
  name: string;
  framework: string;
  /** Unix seconds. */
  mintedAt: number;
  mintedBlock: number;
  mintTx: Hex;
  verified: boolean;
  soulbound: boolean;
  /** Index into MINT_ORIGINS. */
  origin: number;
  generation: number;
  mutationCount: number;
  version: string;
  points: number;
  agentName: string | null;
  /** Every trait in the order added, on chain first; includes the `linked-token*` storage. */
  traits: Trait[];
  onchainPersonality: Personality | null;
  /** Unix seconds; null = never written on chain. */
  personalityAt: number | null;
  onchainNarrative: Narrative | null;
  /** Unix seconds of the block that last wrote each text; a text without one was never written on chain. */
  narrativeAt: Partial<Record<keyof Narrative, number>> | null;
  /** Off-chain overlay by field path (`personality.humor`), newest write wins against the chain's; and what is listed (`skills`). */
  profile: { field: string; value: Json; writtenAt: string }[];
  proofs: Proof[];
  exchange: ExchangeVerification | null;
  ethosScore: number | null;
  referralCode: string | null;
  /** Null until first computed. */
  cred: StoredCred | null;
  updatedBlock: number;
};
