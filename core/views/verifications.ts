/** The verifications of an agent: records of its social proofs, and their short form in the report. */
import type { AgentFacts, Hex, Proof } from "../agents/facts.ts";
import type { Reservation } from "../agents/reservations.ts";
import { MAX_QUOTE, needleOf } from "../agents/social-proofs.ts";
import { exchangeCounts, validProofs } from "../cred/cred.ts";
import { foreignLink, foreignText } from "../directory/foreign-text.ts";
import {
  type ByProofPlatform,
  byProofPlatform,
  type NumericIdOf,
  PROOF_PLATFORMS,
  type ProofPlatform,
  type ProofPlatformKey,
} from "../proof-platforms.ts";

/** A proof as of its last check. `lapsed`: the proof is no longer there; it is shown and does not count. */
type ProofView = {
  handle: string;
  /** The account's name on the platform. */
  username: string;
  verifiedAt: string;
  txHash: Hex | null;
  checkedAt: string;
  /** When it is due to be checked again; null for one that has lapsed, or whose platform is not checked. */
  nextCheckAt: string | null;
  /** Where the account shows it; null when that is not known. */
  url: string | null;
  /** The account's words around the proof at the last check; null when they are not known. */
  quote: string | null;
  status: Proof["status"];
  /** It was made under an earlier owner of the token. */
  earlierOwner: boolean;
};

/** For each platform its record, or null. `expected`: the text that an account shows to prove the agent. */
export type VerificationsView = { tokenId: number; expected: string; reservations: Reservation[] } & {
  [K in ProofPlatformKey]: (ProofView & NumericIdOf<K>) | null;
};

type ShownWith = {
  prefix: string;
  checkedEvery: Readonly<Partial<Record<string, number>>>;
  reservations: readonly Reservation[];
};

/**
 * @param service `prefix`: the service's name in lower case; `checkedEvery`: milliseconds between two checks of a proof,
 *   by platform; `reservations`: those about the agent
 */
export function verificationsView(
  facts: AgentFacts,
  { prefix, checkedEvery, reservations }: ShownWith,
  platforms: readonly ProofPlatform[] = PROOF_PLATFORMS,
): VerificationsView {
  const records = byProofPlatform((platform) => {
    const proof = facts.proofs.find((each) => each.platform === platform.key);
    if (!proof) return null;
    const earlierOwner = reservations.some(({ reason, about }) => reason === "earlier_owner" && about === platform.key);
    return {
      ...proofView(proof, checkedEvery[platform.key]),
      earlierOwner,
      ...numericId(platform, proof.accountId),
    };
  }, platforms);
  const expected = needleOf(prefix, facts.tokenId);
  return { tokenId: facts.tokenId, expected, reservations, ...records } as VerificationsView;
}

/** The account's id under the field name of its platform; empty for platforms whose ids are not shown. */
export const numericId = ({ numericId: name }: ProofPlatform, accountId: string): Record<string, number> =>
  name === undefined ? {} : { [name]: Number(accountId) };

function proofView(proof: Proof, checkedEvery: number | undefined): Omit<ProofView, "earlierOwner"> {
  const { handle, username, verifiedAt, txHash, checkedAt, status } = proof;
  const { url, quote } = (proof.evidence ?? {}) as { url?: unknown; quote?: unknown };
  const due = status !== "lapsed" && checkedEvery !== undefined;
  return {
    handle,
    username: username ?? handle,
    verifiedAt,
    txHash,
    checkedAt,
    nextCheckAt: due ? new Date(Date.parse(checkedAt) + checkedEvery).toISOString() : null,
    url: foreignLink(url),
    quote: foreignText(quote, MAX_QUOTE),
    status,
  };
}

/** Whether an account on a platform is proven now, and its name. */
type ProvenAccount = { verified: boolean; handle?: string; username?: string };

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
