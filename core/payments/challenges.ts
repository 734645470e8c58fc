/** The binding of an MPP challenge to its request, and the check of an answer against it. */
import { keccak256, stringToHex } from "viem/utils";
import type { Address, Hex } from "../agents/facts.ts";
import type { Refusal } from "./refusals.ts";
import { MAX_TIMEOUT_SECONDS, SKEW_SECONDS } from "./terms.ts";
import { type TokenLog, type Transfer, transfersIn } from "./transfers.ts";

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

/** keccak256 of `TransferWithMemo(address,address,uint256,bytes32)`. */
const TRANSFER_WITH_MEMO: Hex = "0x57bc7354aa85aed339e000bccffabbc529466af35f0772c8f8ee1145927de7f0";
/** Selector of `transferWithMemo(address,uint256,bytes32)`. */
const TRANSFER_WITH_MEMO_CALL = "0x95777d59";

/** The parts of a memo. `realm` is the service, as its challenges name it. */
export type MemoChallenge = { realm: string; challengeId: string };

/** The first bytes of a text's hash, as hex digits. */
const digits = (text: string, bytes: number): string => keccak256(stringToHex(text)).slice(2, 2 + 2 * bytes);

/** Four bytes that identify MPP, and the version of the layout. */
const HEAD = `0x${digits("mpp", 4)}01`;

/**
 * Whether a memo is the one of a challenge: head, 10 bytes of the realm's hash, 10 of the client's, 7 of the challenge's.
 * @param memo 32 bytes
 */
export const isMemoOf = (memo: Hex, { realm, challengeId }: MemoChallenge): boolean =>
  memo.length === 66 &&
  memo.toLowerCase().startsWith(HEAD + digits(realm, 10)) &&
  memo.toLowerCase().endsWith(digits(challengeId, 7));

/** A transfer that answers a challenge. */
export type AskedTransfer = MemoChallenge & { token: Address; to: Address; value: bigint };

/** The transfers in a transaction that answer a challenge. The token logs the memo right after its transfer. */
export const memoTransfers = (logs: readonly TokenLog[], transfer: AskedTransfer): Transfer[] =>
  transfersIn(logs, transfer.token).filter(
    ({ to, value, logIndex }) =>
      to === transfer.to &&
      value === transfer.value &&
      logs.some(
        ({ address, topics, logIndex: place }) =>
          place === logIndex + 1 &&
          address === transfer.token &&
          topics[0] === TRANSFER_WITH_MEMO &&
          isMemoOf(topics[3] ?? "0x", transfer),
      ),
  );

/** Whether a call is a transfer that answers a challenge. */
export function isMemoTransfer({ to, data }: { to: Address; data: Hex }, transfer: AskedTransfer): boolean {
  if (to !== transfer.token || data.length !== 10 + 3 * 64) return false;
  const [recipient, value, memo] = [0, 1, 2].map((i) => data.slice(10 + 64 * i, 74 + 64 * i).toLowerCase());
  return (
    data.startsWith(TRANSFER_WITH_MEMO_CALL) &&
    recipient === transfer.to.slice(2).padStart(64, "0") &&
    BigInt(`0x${value}`) === transfer.value &&
    isMemoOf(`0x${memo}`, transfer)
  );
}
