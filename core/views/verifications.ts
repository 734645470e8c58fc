/** The verifications of an agent: records of its social proofs, and their short form in the report. */
import { exchangeCounts, validProofs } from "../cred.ts";
import type { AgentFacts, Hex, Proof } from "../facts.ts";
import {
  type ByProofPlatform,
  byProofPlatform,
  type NumericIdOf,
  PROOF_PLATFORMS,
  type ProofPlatform,
  type ProofPlatformKey,
} from "../proof-platforms.ts";

/** A proof as of its last check. `lapsed`: the proof is no longer there; it is shown and does not count. */
export type ProofView = {
  handle: string;
  /** The account's name on the platform. */
  username: string;
  verifiedAt: string;
  txHash: Hex | null;
  checkedAt: string;
  status: Proof["status"];
};

/** For each platform its record, or null. */
export type VerificationsView = { tokenId: number } & {
  [K in ProofPlatformKey]: (ProofView & NumericIdOf<K>) | null;
};

export function verificationsView(
  facts: AgentFacts,
  platforms: readonly ProofPlatform[] = PROOF_PLATFORMS,
): VerificationsView {
  const records = byProofPlatform((platform) => {
    const proof = facts.proofs.find((each) => each.platform === platform.key);
    return proof ? { ...proofView(proof), ...numericId(platform, proof.accountId) } : null;
  }, platforms);
  return { tokenId: facts.tokenId, ...records } as VerificationsView;
}

/** The account's id under the field name of its platform; empty for platforms whose ids are not shown. */
export const numericId = ({ numericId: name }: ProofPlatform, accountId: string): Record<string, number> =>
  name === undefined ? {} : { [name]: Number(accountId) };

const proofView = ({ handle, username, verifiedAt, txHash, checkedAt, status }: Proof): ProofView => ({
  handle,
  username: username ?? handle,
  verifiedAt,
  txHash,
  checkedAt,
  status,
});

/** Whether an account on a platform is proven now, and its name. */
export type ProvenAccount = { verified: boolean; handle?: string; username?: string };

export type VerificationMarks = ByProofPlatform<ProvenAccount> & {
  /** The agent's wallet has signed in. */
  siwa: boolean;
  coinbase: boolean;
};

/** The verifications that count at `now`. */
export function verificationMarks(facts: AgentFacts, now: Date): VerificationMarks {
  const standing = validProofs(facts);
  const account = (platform: ProofPlatformKey): ProvenAccount => {
    const proof = standing.find((p) => p.platform === platform);
    if (!proof) return { verified: false };
    const { handle, username } = proof;
    return { verified: true, handle, username: username ?? handle };
  };
  return {
    siwa: facts.verified,
    ...byProofPlatform(({ key }) => account(key)),
    coinbase: exchangeCounts(facts, now),
  };
}
