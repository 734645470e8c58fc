/** All stored data about an agent, loaded in one snapshot. Score, JSON, metadata and card are pure functions of it and a clock value. */
import type { Json } from "../json.ts";
import type { ProofPlatformKey } from "../proof-platforms.ts";

export type Address = `0x${string}`;
export type Hex = `0x${string}`;

/** Reference to one agent: by its token id, or by its wallet (the wallet's own agent; see db/agents/wallets.ts). */
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

/** A successful exchange verification by an owner, with the attestation of that owner on which it is based now. */
export type ExchangeVerification = {
  /** The valid attestation with the latest expiry. */
  attestationUid: Hex;
  /** The attested owner. */
  recipient: Address;
  /** Unix seconds; 0: never expires. */
  expiresAt: number;
  /** Time of the indexed revocation in Unix seconds, when all attestations are revoked; 0: not revoked. */
  revokedAt: number;
  verifiedAt: string;
};

/** `raw`: the raw value of each signal by its key, integers 0 to 100; `shownCred` (core/cred/cred.ts) gives it its type. */
type StoredCred = { score: number; raw: Record<string, number>; seenBlock: number; computedAt: string };

export type AgentFacts = {
  tokenId: number;
  agentAddress: Address;
  /** The agent's wallet owns the token, verified it, or registered it here. False: the token names this wallet, and nothing confirms it. */
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
  /** Every trait in the order added, on-chain traits first; includes the `linked-token*` traits. */
  traits: Trait[];
  onchainPersonality: Personality | null;
  /** Unix seconds of the last write on chain; null: never written there. */
  personalityAt: number | null;
  onchainNarrative: Narrative | null;
  /** Unix seconds of the block that last wrote each text; a text without one was never written on chain. */
  narrativeAt: Partial<Record<keyof Narrative, number>> | null;
  /** Off-chain writes by field path (`personality.humor`), which win over older writes on chain, and the listing (`skills`). */
  profile: { field: string; value: Json; writtenAt: string }[];
  proofs: Proof[];
  exchange: ExchangeVerification | null;
  ethosScore: number | null;
  referralCode: string | null;
  /** Null until it is first computed. */
  cred: StoredCred | null;
  updatedBlock: number;
};
