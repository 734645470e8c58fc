/** The cred of foreign agents: the service's own signals over their known data, capped until they have an identity token here. */
import type { AgentFacts, Hex } from "../agents/facts.ts";
import { credOf } from "../cred/cred.ts";
import { mintOriginIndex } from "../mints/mint-origins.ts";
import { NARRATIVE_VALUE } from "../signals/narrative.ts";
import { SIGNALS, type SignalKey } from "../signals/signals.ts";
import { TRAIT_VALUE } from "../signals/traits.ts";
import { PROOF_VALUE } from "../signals/verify.ts";
import { provesWallets } from "./platforms.ts";
import type { TerminalRow } from "./row.ts";

/** The facts of a foreign agent that count. */
export type ForeignFacts = {
  /** Number of services and skills. */
  traitCount: number;
  description: string | null;
  /** The registry proves the wallet. */
  walletProven: boolean;
  /** Time of the registration in Unix seconds; null when the registry does not provide it. */
  registeredAt: number | null;
  /** The owner has a valid attestation of the exchange now. */
  ownerAttested: boolean;
  /** The proven wallet owns an identity token. */
  holdsIdentity: boolean;
};

/** Max score without an identity token: a higher reputation requires an identity that can be checked. */
export const FOREIGN_CAP = 50;

/** Without core/addresses.ts, whose hash function the pages of the cap would load. */
const NO_ADDRESS: Hex = `0x${"0".repeat(40)}`;
const NO_HASH: Hex = `0x${"0".repeat(64)}`;

/** The score, an integer from 0 to 100. */
export function foreignCred(known: ForeignFacts, now: Date): number {
  const { score } = credOf(asAgent(known, now), now);
  return known.holdsIdentity ? score : Math.min(FOREIGN_CAP, score);
}

type Lifted = Pick<TerminalRow, "platform" | "owner_address" | "description" | "verified" | "cred_score">;

/** What can lift the score of a foreign agent, with the points that each step wins below the cap; nothing does at the cap. */
export function foreignSteps(row: Lifted, ownerAttested: boolean) {
  if (row.cred_score === FOREIGN_CAP) return [];
  const canBeAttested = row.owner_address !== null && !ownerAttested;
  const canBeProven = provesWallets(row.platform) && row.verified === 0;
  const step = (action: string, key: SignalKey, raw: number) => ({
    ...{ action, gain: (SIGNALS.find((signal) => signal.key === key)!.weight * raw) / 100 },
  });
  return [
    canBeAttested ? step("Let the exchange attest the owner's account", "coinbase", 100) : [],
    canBeProven ? step("Have its registry prove its wallet", "verify", PROOF_VALUE) : [],
    row.description?.trim() ? [] : step("Write a description", "narrative", NARRATIVE_VALUE),
    step(`Each service or skill that it names, of the first ${Math.ceil(100 / TRAIT_VALUE)}`, "traits", TRAIT_VALUE),
  ].flat();
}

/**
 * A foreign agent as input of the signals: services and skills count as traits, a proven wallet as verification, the
 * description as one text of the narrative, the owner as registrant. It has no points and is not soulbound.
 */
function asAgent(known: ForeignFacts, now: Date): AgentFacts {
  const { traitCount, description, walletProven, registeredAt, ownerAttested } = known;
  const at = now.toISOString();
  return {
    tokenId: 0,
    agentAddress: NO_ADDRESS,
    walletConfirmed: false,
    owner: NO_ADDRESS,
    operator: null,
    name: "",
    framework: "",
    mintedAt: registeredAt ?? Math.floor(now.getTime() / 1000),
    mintedBlock: 0,
    mintTx: NO_HASH,
    verified: walletProven,
    soulbound: false,
    origin: mintOriginIndex("OWNER"),
    generation: 0,
    mutationCount: 0,
    version: "",
    points: 0,
    agentName: null,
    traits: Array.from({ length: Math.min(traitCount, 100) }, () => ({ name: "service", category: "", addedAt: at })),
    onchainPersonality: null,
    personalityAt: null,
    onchainNarrative: null,
    narrativeAt: null,
    profile: description === null ? [] : [{ field: "narrative.mission", value: description, writtenAt: at }],
    proofs: [],
    exchange: ownerAttested
      ? { attestationUid: NO_HASH, recipient: NO_ADDRESS, expiresAt: 0, revokedAt: 0, verifiedAt: at }
      : null,
    ethosScore: null,
    referralCode: null,
    cred: null,
    updatedBlock: 0,
  };
}
