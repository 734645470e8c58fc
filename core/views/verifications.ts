/** What an agent has proven: the records of its social proofs, and the short form the report has of them. */
import { exchangeCounts, standingProofs } from "../cred.ts";
import type { AgentFacts, Hex, Platform, Proof } from "../facts.ts";

/** A proof as it was last seen. `lapsed` is a proof that has vanished: it is told, and counts for nothing. */
export type ProofView = {
  handle: string;
  /** The account's name on the platform. */
  username: string;
  verifiedAt: string;
  txHash: Hex | null;
  checkedAt: string;
  status: Proof["status"];
};

export type VerificationsView = {
  tokenId: number;
  x: ProofView | null;
  github: ProofView | null;
  farcaster: (ProofView & { /** Farcaster id. */ fid: number }) | null;
};

export function verificationsView(facts: AgentFacts): VerificationsView {
  const of = (platform: Platform) => facts.proofs.find((proof) => proof.platform === platform);
  const [x, github, farcaster] = [of("x"), of("github"), of("farcaster")];
  return {
    tokenId: facts.tokenId,
    x: x ? proofView(x) : null,
    github: github ? proofView(github) : null,
    farcaster: farcaster ? { ...proofView(farcaster), fid: Number(farcaster.accountId) } : null,
  };
}

const proofView = ({ handle, username, verifiedAt, txHash, checkedAt, status }: Proof): ProofView => ({
  handle,
  username: username ?? handle,
  verifiedAt,
  txHash,
  checkedAt,
  status,
});

/** Whether a platform's account is proven now, and which it is. */
export type ProvenAccount = { verified: boolean; handle?: string; username?: string };

export type VerificationMarks = Record<Platform, ProvenAccount> & {
  /** The agent's wallet has signed in. */
  siwa: boolean;
  coinbase: boolean;
};

/** What counts at a moment, mark by mark. */
export function verificationMarks(facts: AgentFacts, now: Date): VerificationMarks {
  const standing = standingProofs(facts);
  const account = (platform: Platform): ProvenAccount => {
    const proof = standing.find((p) => p.platform === platform);
    if (!proof) return { verified: false };
    const { handle, username } = proof;
    return { verified: true, handle, username: username ?? handle };
  };
  return {
    siwa: facts.verified,
    x: account("x"),
    github: account("github"),
    farcaster: account("farcaster"),
    coinbase: exchangeCounts(facts, now),
  };
}
