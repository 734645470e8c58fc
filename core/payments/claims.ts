/** Which request a settlement pays for: an authorization is public as soon as it is broadcast. */
import type { Address } from "../agents/facts.ts";
import type { PaymentState } from "./states.ts";

/**
 * How a request proves that a payment is its own: it is signed by the payer's wallet, it brings an authorization that
 * any reader of the chain could have copied, or it answers a challenge that only its requester knows.
 */
export type ClaimedBy = "payer" | "bearer" | "challenge";

/** The claim of a request on a payment, as stored in the ledger. */
export type RequestClaim = {
  state: PaymentState;
  payer: Address;
  /** First block that may contain the settlement. */
  sinceBlock: number;
  /** Time at which a bearer's claim was recorded; null for the payer's own and for an answered challenge, which cannot be copied. */
  presentedAt: Date | null;
};

/** Where an authorization was settled. */
export type SettledAt = {
  block: number;
  /** Unix seconds. */
  blockTime: number;
  sender: Address;
};

/** Max seconds by which the clocks of blocks and of the database may differ. */
const SKEW_SECONDS = 5;

/**
 * Whether a settlement may serve a claim. A bearer's claim counts only for a settlement made after the claim was recorded,
 * and never for one that the payer sent itself: a reader of the mempool or of the newest block could have copied it.
 */
export function serves({ state, payer, sinceBlock, presentedAt }: RequestClaim, at: SettledAt): boolean {
  if (presentedAt === null) return true;
  if (at.sender === payer) return false;
  const noted = Math.floor(presentedAt.getTime() / 1000);
  // The block's time decides where the head was read from a node that lagged behind.
  if (at.block >= sinceBlock) return at.blockTime >= noted - SKEW_SECONDS;
  // A reorganisation may put the settlement of our own order into a lower block than the head at the time of the order.
  return state === "settling" && at.blockTime >= noted;
}
