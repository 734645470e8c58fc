/** Words of the ledger and of webhooks as people read them; a word that this page does not know stays as it is. */

/** @returns the word as people read it. @param words by the words of the API */
const wordIn = (words: Record<string, string>) => (word: string) => words[word] ?? word;

/** States of a payment. */
const PAYMENT_STATES = {
  new: "Presented",
  settling: "Being settled",
  paid: "Paid, its effect not done",
  fulfilled: "Fulfilled",
  released: "Refused, no money moved",
  refund_due: "Refund due",
  refunded: "Refunded",
  lost: "Money lost by a reorganisation",
};

/** What was paid for. */
const OPERATIONS = {
  agentMint: "Registration",
  solanaRegistration: "Registration by a Solana key",
  credReport: "Cred report",
  update: "Change",
  soulLock: "Soul lock",
  soulHandshake: "Handshake",
};

/** Ways to pay. */
const METHODS = {
  x402: "x402",
  transaction: "Transaction",
  mpp: "MPP",
};

/** Why a webhook was switched off. */
const REASONS_OFF = {
  gone: "It answered that it is gone",
  failing: "It failed for too long",
};

export const wordsOf = {
  state: wordIn(PAYMENT_STATES),
  operation: wordIn(OPERATIONS),
  method: wordIn(METHODS),
  disabled: wordIn(REASONS_OFF),
};
