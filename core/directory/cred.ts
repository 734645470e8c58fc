/** The cred of agents of other registries: the service's own signals over what is known of them, capped until they have an identity here. */
import { credOf } from "../cred.ts";
import type { Address, AgentFacts, Hex } from "../facts.ts";
import { mintOriginIndex } from "../mint-origins.ts";

/** What counts of a foreign agent. */
export type ForeignFacts = {
  /** Services and skills. */
  traitCount: number;
  description: string | null;
  /** The registry proves the wallet. */
  walletProven: boolean;
  /** Unix seconds of the registration; null when the registry does not say. */
  registeredAt: number | null;
  /** The exchange attests the owner's account, and the attestation is valid now. */
  ownerAttested: boolean;
  /** The proven wallet holds an identity token. */
  holdsIdentity: boolean;
};

/** The most that counts without an identity token: reputation beyond it is for identities that can be checked. */
export const FOREIGN_CAP = 50;

const NOBODY: Address = "0x0000000000000000000000000000000000000000";
const NO_HASH: Hex = `0x${"0".repeat(64)}`;

/** The score, an integer from 0 to 100. */
export function foreignCred(known: ForeignFacts, now: Date): number {
  const { score } = credOf(asAgent(known, now), now);
  return known.holdsIdentity ? score : Math.min(FOREIGN_CAP, score);
}

/**
 * A foreign agent as the signals see an agent: services and skills are its traits, a proven wallet its verification, its
 * description one text of the narrative, its owner the one who registered it. It has no points and is not soulbound.
 */
function asAgent(known: ForeignFacts, now: Date): AgentFacts {
  const { traitCount, description, walletProven, registeredAt, ownerAttested } = known;
  const at = now.toISOString();
  return {
    tokenId: 0,
    agentAddress: NOBODY,
    walletConfirmed: false,
    owner: NOBODY,
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
      ? { attestationUid: NO_HASH, recipient: NOBODY, expiresAt: 0, revokedAt: 0, verifiedAt: at }
      : null,
    ethosScore: null,
    referralCode: null,
    cred: null,
    updatedBlock: 0,
  };
}
