/** The states of a payment and the allowed transitions; every change in the ledger checks this table. */

export type PaymentState =
  /** Written into the ledger; no other party has been called yet. */
  | "new"
  /** Settlement was requested: from now on its money may have moved. */
  | "settling"
  /** Seen on the service's own node: the money is there, the effect is not done yet. */
  | "paid"
  /** The effect is done. */
  | "fulfilled"
  /** Refused finally, no money moved: the same authorization may be presented again. */
  | "released"
  /** The money is there and the effect is impossible: a credit for the payer's next request, else a refund. */
  | "refund_due"
  /** An operator has sent the money back. */
  | "refunded"
  /** Fulfilled or owed, but a reorganisation took the money away and it could not be settled again. */
  | "lost";

/** From each state to the states that may follow it. */
export const TRANSITIONS: Record<PaymentState, readonly PaymentState[]> = {
  new: ["settling", "paid", "released"],
  settling: ["paid", "released"],
  // Back to settling when the block with the transfer is gone.
  paid: ["fulfilled", "refund_due", "settling"],
  // The chain refused the effect; or the transfer is gone finally.
  fulfilled: ["refund_due", "lost"],
  // Presented again; or settled later by an account that has the authorization.
  released: ["new", "refund_due"],
  // Spent on another request; or the chain carried out the effect later; or refunded; or lost by a reorganisation.
  refund_due: ["paid", "fulfilled", "refunded", "lost"],
  refunded: [],
  lost: ["fulfilled"],
};

export const PAYMENT_STATES = Object.keys(TRANSITIONS) as PaymentState[];

/** The states that `to` may follow. */
export const statesBefore = (to: PaymentState): PaymentState[] =>
  PAYMENT_STATES.filter((from) => TRANSITIONS[from].includes(to));

/** States in which a payment blocks other payments with the same unique key. */
export const OPEN_STATES = ["new", "settling", "paid"] as const satisfies PaymentState[];

/** Times that the chain may refuse what a payment bought; then its credit is not spent again, and is to be sent back. */
export const MAX_CHAIN_REFUSALS = 3;
