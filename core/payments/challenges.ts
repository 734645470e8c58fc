/** The binding of an MPP challenge to its request, and the check of an answer against it. */
import type { Address, Hex } from "../agents/facts.ts";
import type { Refusal } from "./refusals.ts";
import { MAX_TIMEOUT_SECONDS, SKEW_SECONDS } from "./terms.ts";

/** The request that a challenge is for; a payment for one request pays for no other. */
export type RequestBinding = {
  /** Hash of operation, method, path and query, in hex. */
  resource: string;
  /** `sha-256=` and base64; null for a request without a body. */
  bodyDigest: string | null;
};

/** The content of a challenge of this service, after its signature was verified. */
export type ChallengeClaims = RequestBinding & {
  challengeId: string;
  chainId: number;
  currency: Address;
  payTo: Address;
  amountUnits: bigint;
  /** Milliseconds since the epoch. */
  expiresAt: number;
};

/** The current MPP terms. */
export type ChallengeTerms = Pick<ChallengeClaims, "chainId" | "currency" | "payTo"> & { honoured: readonly bigint[] };

/**
 * Compares a challenge that was answered with the request the answer came with.
 * @param now milliseconds since the epoch
 * @returns the first mismatch; null when the challenge is for this request
 */
export function challengeMismatch(
  claims: ChallengeClaims,
  terms: ChallengeTerms,
  request: RequestBinding,
  now: number,
): Refusal | null {
  if (claims.resource !== request.resource || claims.bodyDigest !== request.bodyDigest) return "wrong_resource";
  if (claims.chainId !== terms.chainId) return "unsupported_network";
  if (claims.currency !== terms.currency) return "wrong_asset";
  if (claims.payTo !== terms.payTo) return "wrong_recipient";
  if (!terms.honoured.includes(claims.amountUnits)) return "wrong_amount";
  return claims.expiresAt <= now ? "challenge_expired" : null;
}

/** A transaction that its payer has signed and the service broadcasts. Times are Unix seconds, null for none. */
export type SignedTransaction = {
  /** The raw bytes to broadcast. */
  raw: Hex;
  hash: Hex;
  from: Address;
  chainId: number;
  validAfter: number | null;
  validBefore: number | null;
  calls: { to: Address; data: Hex }[];
};

/**
 * Whether a signed transaction can be mined now, and has an end: one without an end could move the money at any later
 * time.
 * @param now Unix seconds
 */
export function transactionOutOfTime(
  { validAfter, validBefore }: Pick<SignedTransaction, "validAfter" | "validBefore">,
  now: number,
): Refusal | null {
  if (validBefore === null || validBefore > now + MAX_TIMEOUT_SECONDS + SKEW_SECONDS) return "valid_too_long";
  if (validBefore <= now) return "expired";
  return validAfter !== null && validAfter > now + SKEW_SECONDS ? "not_yet_valid" : null;
}
