/** The states of a payment and the only ways between them; every change in the ledger goes through this table. */

export type PaymentState =
  /** Known to us and written down; nothing has been asked of anybody yet. */
  | "new"
  /** Handed over for settlement: from here on its money may have moved. */
  | "settling"
  /** Seen on our own node: the money is there, what it buys is not. */
  | "paid"
  /** What it bought is done. */
  | "fulfilled"
  /** Refused for good, no money moved: the same authorization may be presented anew. */
  | "released"
  /** The money is there and what it should buy is impossible: a credit for the payer's next request, else a refund. */
  | "refund_due"
  /** An operator has sent the money back. */
  | "refunded"
  /** Fulfilled or owed, but a reorganisation took the money away and it could not be settled again. */
  | "lost";

/** From each state to the states that may follow it. */
export const TRANSITIONS: Record<PaymentState, readonly PaymentState[]> = {
  new: ["settling", "paid", "released"],
  settling: ["paid", "released"],
  // Back to settling when the block that held the transfer is gone.
  paid: ["fulfilled", "refund_due", "settling"],
  // The chain refused what was bought; or the transfer is gone for good.
  fulfilled: ["refund_due", "lost"],
  // Presented again; or settled after all by whoever holds the authorization.
  released: ["new", "refund_due"],
  // Spent on another request; or the chain did it after all; or sent back; or a reorganisation took the money away.
  refund_due: ["paid", "fulfilled", "refunded", "lost"],
  refunded: [],
  lost: ["fulfilled"],
};

export const PAYMENT_STATES = Object.keys(TRANSITIONS) as PaymentState[];

/** The states from which one may come into `to`. */
export const statesBefore = (to: PaymentState): PaymentState[] =>
  PAYMENT_STATES.filter((from) => TRANSITIONS[from].includes(to));

/** A request that waits for its payment keeps others like it out while its payment is in one of these. */
export const OPEN_STATES = ["new", "settling", "paid"] as const satisfies PaymentState[];
