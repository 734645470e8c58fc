/** Why a payment is refused: each reason with its sentence, what helps, and whether time does; and the causes that others name. */

type Rule = {
  /** The `error` of the answer. */
  says: string;
  /** What its client can do. */
  hint: string;
  /** Seconds after which the same payment may be accepted; absent where time changes nothing. */
  retryAfter?: number;
};

const ANEW = "Sign a new payment, for the terms of this answer.";
const SAME_HASH = "Present the same hash again.";

/** Stable words for what is wrong with a payment. */
export const REFUSALS = {
  unsupported_scheme: { says: 'Only the scheme "exact" is supported.', hint: ANEW },
  unsupported_network: { says: "The payment is for another network.", hint: ANEW },
  wrong_asset: { says: "The payment is in another token.", hint: ANEW },
  wrong_recipient: { says: "The payment goes to another address.", hint: ANEW },
  wrong_amount: { says: "The payment is of another amount.", hint: ANEW },
  wrong_resource: { says: "The payment was made for another resource.", hint: ANEW },
  expired: { says: "The payment's authorization has expired or is about to.", hint: ANEW },
  valid_too_long: {
    says: "The payment's authorization is good for longer than was asked.",
    hint: "Sign a new payment that ends within maxTimeoutSeconds of the terms.",
  },
  not_yet_valid: {
    says: "The payment's authorization is not valid yet.",
    hint: "Present the same payment again once it has begun, or sign one that has: clocks differ, so begin a minute ago.",
    retryAfter: 2,
  },
  invalid_signature: {
    says: "The payment's signature is not the payer's signature of it.",
    hint: "Sign with the payer's key, over the token's name, version, chain and address in the terms.",
  },
  wallet_not_deployed: {
    says: "The payer is a contract wallet that is not deployed.",
    hint: "Deploy the wallet first, then present the same payment again while it is valid.",
    retryAfter: 30,
  },
  authorization_used: { says: "The payment's authorization has been used or cancelled.", hint: ANEW },
  insufficient_funds: {
    says: "The payer does not hold enough USDC.",
    hint: "Send the payer USDC, then present the same payment again while it is valid.",
    retryAfter: 30,
  },
  account_blocked: {
    says: "The token's issuer has blocked the payer or the recipient.",
    hint: "Pay from another wallet.",
  },
  token_paused: {
    says: "The token's issuer has stopped all transfers.",
    hint: "Present the same payment again while it is valid, or sign a new one later.",
    retryAfter: 60,
  },
  contract_wallet_limit: {
    says: "The chain refused too many payments of contract wallets today: that of a new one is not settled.",
    hint: "Pay from a wallet that has a key, or present the same payment after midnight UTC.",
    retryAfter: 3_600,
  },
  not_settled: { says: "The payment could not be settled.", hint: ANEW },
  transaction_not_found: {
    says: "There is no such transaction yet. Present the same hash again once it is mined.",
    hint: SAME_HASH,
    retryAfter: 2,
  },
  transaction_not_confirmed: {
    says: "The transaction needs more confirmations. Present the same hash again shortly.",
    hint: SAME_HASH,
    retryAfter: 2,
  },
  transaction_failed: {
    says: "The transaction failed, so nothing was paid.",
    hint: "Send the transfer again, and present its hash.",
  },
  transaction_too_old: { says: "The transaction is too old to pay for a request.", hint: "Pay anew." },
  no_matching_transfer: {
    says: "The transaction holds no transfer of exactly this price from the payer to the recipient.",
    hint: "Pay exactly the amount of this answer, from the wallet that is signed in.",
  },
  unknown_challenge: {
    says: "The payment answers no challenge of this service, or one that was changed on the way.",
    hint: "Answer the challenge of this answer.",
  },
  challenge_expired: {
    says: "The challenge that the payment answers has expired.",
    hint: "Answer the challenge of this answer.",
  },
  payer_unknown: {
    says: "A transaction hash pays only for the wallet that sent the money: sign in with it.",
    hint: "Repeat the request with a sign-in of that wallet (SIWA or SIWE) and the same hash.",
  },
} as const satisfies Record<string, Rule>;
export type Refusal = keyof typeof REFUSALS;

export const ruleOf = (reason: Refusal): Rule => REFUSALS[reason];

/**
 * The causes in the words of those who name them; the first that fits counts. Facilitators answer with codes of x402, tokens
 * revert with texts (those of USDC's contract, and ERC-6093's errors by their selectors), nodes refuse transactions.
 */
const CAUSES: [RegExp, Refusal][] = [
  [/^contract_wallet_limit$/, "contract_wallet_limit"],
  [/insufficient|exceeds balance|unfunded|0xe450d38c/i, "insufficient_funds"],
  [/already_used|authorization_used|used or canceled/i, "authorization_used"],
  [/valid_after|not yet valid/i, "not_yet_valid"],
  [/valid_before|expired/i, "expired"],
  [/black_?list|blocked/i, "account_blocked"],
  [/paused|0xd93c0665/i, "token_paused"],
  [/signature|ECRecover/i, "invalid_signature"],
  [/network/i, "unsupported_network"],
  [/recipient|pay_?to/i, "wrong_recipient"],
  [/_value|amount/i, "wrong_amount"],
  [/scheme/i, "unsupported_scheme"],
];

/** Words of a facilitator for an error of its own: they say nothing about the payment. */
const FACILITATOR_ERROR = /^unexpected_|^unknown_|rpc_read_failed|state_unavailable|^settlement_pending$|^rate_limit/;

/**
 * The reason that a facilitator, a token or a node names.
 * @param said a code or a text, untrusted
 * @returns "error" where it names one of its own, null where it names no cause that is known
 */
export function reasonIn(said: string): Refusal | "error" | null {
  if (FACILITATOR_ERROR.test(said)) return "error";
  return CAUSES.find(([words]) => words.test(said))?.[1] ?? null;
}
