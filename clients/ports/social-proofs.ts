/** Ports of proofs on social platforms. */
import type { ClaimsByPlatform, ProofPlatformKey } from "../../core/proof-platforms.ts";

/** The proof to look for: the agent, and the service's prefix in front of its id (`helixa`). */
export type SoughtProof = { tokenId: number; prefix: string };

/** An account that proves an agent, as its platform shows it. */
export type FoundProof = {
  /** The platform's own id of the account, which outlives its names. */
  accountId: string;
  /** As the platform writes it. */
  handle: string;
  username: string | null;
  /** The place of the proof, the words in which it is shown there, and the version of it that was read. */
  evidence: ProofEvidence;
};
type ProofEvidence = { url: string; id: string; quote: string; revision?: string; etag?: string };

/**
 * A definite answer of the platform: the account shows no proof. `reason` is a sentence for the caller, `found` the text
 * that the place shows instead, as the platform gave it. `isAbsent`: there is no such account, so it can show nothing.
 */
export type NoProof = { reason: string; found?: string; isAbsent?: true };

/** A proof as it was recorded. An earlier version may have kept less of it: without `id` it is sought anew. */
export type KnownProof = SoughtProof & Omit<FoundProof, "evidence"> & { evidence: Partial<ProofEvidence> };

/**
 * Reads the proofs on one platform (core/proof-platforms.ts). The platform's answer is a value; every method throws
 * `Failure("upstream_unavailable")` when the platform gave no usable answer.
 */
export interface ProofReader<Claim> {
  /** Looks for the proof at the place that the claim names. */
  find(claim: Claim, sought: SoughtProof, spend?: Spend): Promise<FoundProof | NoProof>;
  /** Max proofs of one `recheck`. */
  readonly batch: number;
  /** Looks again at proofs once found, in their order. Null: the platform said nothing about this one. */
  recheck(proofs: readonly KnownProof[], spend?: Spend): Promise<(FoundProof | NoProof | null)[]>;
}

/**
 * Takes one request from an allowance before it is sent.
 * @param rate the upstream's whole rate
 * @param reads accounts that the request reads; less than 0 gives back the reads of a request that the upstream refused
 * @returns seconds to wait when the allowance is used up; 0 when the request was taken
 */
export type Spend = (rate: { burst: number; perSecond: number }, reads: number) => Promise<number>;

export type ProofReaders = { [K in ProofPlatformKey]: ProofReader<ClaimsByPlatform[K]> };
