/**
 * Payments by MPP: checks that an answer belongs to the challenge of this request, makes it a payment of the ledger, finds its
 * evidence on its chain, and broadcasts the signed transaction.
 */
import type { ChallengeAnswer, Mpp } from "../../clients/ports.ts";
import { checksum, ZERO_ADDRESS } from "../../core/addresses.ts";
import type { Address, Hex } from "../../core/agents/facts.ts";
import { fail } from "../../core/errors.ts";
import {
  type AskedTransfer,
  challengeMismatch,
  isMemoTransfer,
  memoTransfers,
  type SignedTransaction,
  transactionOutOfTime,
} from "../../core/payments/challenges.ts";
import { Checked } from "../../core/payments/checked.ts";
import { type Refusal, reasonIn } from "../../core/payments/refusals.ts";
import { MAX_TIMEOUT_SECONDS } from "../../core/payments/terms.ts";
import { topicOf } from "../../core/payments/transfers.ts";
import {
  challengeFact,
  digestOf,
  type Payment,
  type PaymentName,
  type PaymentTerms,
} from "../../db/payments/payments.ts";
import { findAnswer } from "../evidence.ts";
import { type AskingRequest, type PaymentMethod, refuseHeader, type SettlementOutcome } from "./method.ts";

/** The ledger's record of an answered challenge. */
type MppCredential = {
  challengeId: string;
  /** Of the transaction that contains the transfer. */
  hash: Hex;
  /** The signed transaction that the service broadcasts; null when the payer has broadcast it. */
  raw: Hex | null;
};

const credentialOf = ({ credential }: Payment) => credential as MppCredential;

/** Selector of `balanceOf(address)`. */
const BALANCE_OF = "0x70a08231";
/** The header of MPP credentials, which are also accepted in a list in Authorization. */
const HEADER = "Payment-Authorization";
/** Tempo's, where none is configured. */
const CHAIN_ID = 4217;

/** An answer to a challenge of this service; `answer` is null where the answered challenge was not made by this service. */
export const mpp: PaymentMethod<{ answer: ChallengeAnswer | null }> = {
  key: "mpp",
  wire: {
    kind: "credential",
    header: {
      name: HEADER,
      description: "Credential of MPP, Payment {base64url}; it may also be in a list in Authorization",
    },
    scheme: "Payment",
  },
  security: "Payment by MPP, where there is a price: an answer to the challenge of the 402.",
  // Only the client that asked knows its challenge.
  isPublic: false,

  /** A challenge for this very request in a header, its terms in the body. */
  option({ mpp, now, salt }, { terms: { payTo, amountUnits, resource }, binding }) {
    if (!mpp) return null;
    return {
      ...(binding && {
        headers: {
          "www-authenticate": mpp.challenge({
            ...binding,
            payTo,
            amountUnits,
            description: resource.description,
            expiresAt: now() + MAX_TIMEOUT_SECONDS * 1000,
            salt: salt(),
          }),
        },
      }),
      body: {
        mpp: {
          method: "tempo",
          intent: "charge",
          chainId: mpp.chain.id,
          currency: checksum(mpp.currency),
          recipient: checksum(payTo),
          amount: String(amountUnits),
          header: HEADER,
        },
      },
    };
  },

  async read([{ name, value }], { mpp }) {
    if (mpp === null) return refuseHeader(name, "cannot be used: payments by MPP are not taken here");
    const read = await mpp.read(value);
    if (read.kind === "malformed") return refuseHeader(name, read.problem);
    return { answer: read.kind === "answer" ? read.answer : null };
  },

  payer: ({ answer }) => answer?.payer ?? null,

  nameOf: ({ answer }) => answer && challengeFact(answer.chainId, answer.challengeId),

  async present(parts, { answer }, request) {
    if (answer === null) return "unknown_challenge";
    const mpp = parts.mpp!;
    return {
      by: "challenge",
      name: challengeName(answer),
      async check() {
        const checked = await checkChallenge(mpp, request, answer);
        if (typeof checked === "string") return { reason: checked };
        return [{ checked, sinceBlock: await mpp.chain.headBlock(), client: null }];
      },
    };
  },

  chain: ({ mpp }) => mpp?.chain ?? null,

  find(parts, _chain, payment) {
    const { chain, realm, confirmations } = configured(parts);
    const { challengeId, hash } = credentialOf(payment);
    return findAnswer(chain, { ...payment, realm, challengeId, hash }, confirmations);
  },

  settle: (parts, payment, { begin }) => sendTransaction(configured(parts), payment, begin),

  receipt({ mpp }, { txHash, paidAt, updatedAt }): Record<string, string> {
    return mpp ? { "payment-receipt": mpp.receipt({ txHash, at: paidAt ?? updatedAt }) } : {};
  },

  protocol: ({ mpp }) => mpp && { mpp: { method: "tempo", intent: "charge", currency: checksum(mpp.currency) } },

  listing: ({ mpp }) => ({
    protocol: "MPP",
    status: mpp ? "available" : "planned",
    chain: mpp?.chain.id ?? CHAIN_ID,
    currency: "USDC.e",
  }),
};

function configured({ mpp }: { mpp: Mpp | null }): Mpp {
  if (mpp) return mpp;
  throw new Error("MPP is not configured");
}

const hashOf = ({ given }: ChallengeAnswer): Hex => (given.kind === "signed" ? given.transaction.hash : given.hash);

/** Identifies an answer: its challenge, the transaction it names and the payer it names. */
const challengeName = (answer: ChallengeAnswer): PaymentName => ({
  facts: [challengeFact(answer.chainId, answer.challengeId)],
  digest: digestOf("mpp", answer.chainId, answer.challengeId, hashOf(answer), answer.payer),
  identifier: null,
});

/**
 * An answer as a checked payment.
 * Check then write: terms, time, signature and balance, then `presentPayment`; the row, its state and the chain may
 * change between: safe as in x402.ts.
 * @returns the reason where it is none
 * @throws Failure upstream_unavailable, payment_pending
 */
async function checkChallenge(
  mpp: Mpp,
  request: AskingRequest,
  answer: ChallengeAnswer,
): Promise<Checked<PaymentTerms> | Refusal> {
  // Before any call to the chain: an answer for another request does not pay for this one, mined or not.
  const wrong = challengeMismatch(answer, requiredTerms(mpp, request), request.binding, request.now);
  if (wrong) return wrong;
  const { given, challengeId, chainId, currency, payTo, amountUnits } = answer;
  const { facts, digest } = challengeName(answer);
  const transaction = given.kind === "signed" ? given.transaction : null;
  const credential: MppCredential = { challengeId, hash: hashOf(answer), raw: transaction?.raw ?? null };
  const terms: PaymentTerms = {
    method: "mpp",
    chainId,
    asset: currency,
    payer: answer.payer ?? (await senderOf(mpp, credential.hash, requiredTransfer(mpp, answer))),
    payee: payTo,
    amountUnits,
    credential,
    validBefore: new Date(transaction?.validBefore ? transaction.validBefore * 1000 : answer.expiresAt),
    facts,
    digest,
  };
  return Checked.of(terms, (written) => refusalOf(mpp, request, answer, written));
}

const requiredTerms = ({ chain, currency }: Mpp, { terms }: AskingRequest) => ({
  chainId: chain.id,
  currency,
  payTo: terms.payTo,
  honoured: terms.honoured,
});

const requiredTransfer = ({ realm }: Mpp, answer: ChallengeAnswer): AskedTransfer => ({
  token: answer.currency,
  to: answer.payTo,
  value: answer.amountUnits,
  realm,
  challengeId: answer.challengeId,
});

/** Why the terms to be written cannot be accepted; null if they can. */
async function refusalOf(
  mpp: Mpp,
  request: AskingRequest,
  answer: ChallengeAnswer,
  { chainId, asset, payee, amountUnits }: Readonly<PaymentTerms>,
): Promise<Refusal | null> {
  const claims = { ...answer, chainId, currency: asset, payTo: payee, amountUnits };
  const wrong = challengeMismatch(claims, requiredTerms(mpp, request), request.binding, request.now);
  if (wrong || answer.given.kind === "sent") return wrong;
  const { transaction } = answer.given;
  if (transaction.chainId !== mpp.chain.id) return "unsupported_network";
  if (!transaction.calls.some((call) => isMemoTransfer(call, requiredTransfer(mpp, answer))))
    return "no_matching_transfer";
  const late = transactionOutOfTime(transaction, Math.floor(request.now / 1000));
  return late ?? ((await isCovered(mpp, transaction, answer)) ? null : "insufficient_funds");
}

/** Whether the payer has the amount. A transaction with further calls may obtain it by those. */
async function isCovered(mpp: Mpp, { from, calls }: SignedTransaction, answer: ChallengeAnswer) {
  if (calls.length > 1) return true;
  const balance = await mpp.chain.call({ to: answer.currency, data: `${BALANCE_OF}${topicOf(from).slice(2)}` });
  return !balance.ok || BigInt(balance.data) >= answer.amountUnits;
}

/**
 * The sender of the transfer that answers a challenge, for answers that do not name their payer.
 * @throws Failure payment_pending while there is no such transaction
 */
async function senderOf(mpp: Mpp, hash: Hex, transfer: AskedTransfer): Promise<Address> {
  const receipt = await mpp.chain.receipt(hash);
  if (receipt === null)
    return fail("payment_pending", "The payment's transaction is not mined yet.", {
      hint: "Repeat the request with the same payment.",
      retryAfter: 2,
    });
  // Without such a transfer there is no payment: the check of the chain will find that.
  return memoTransfers(receipt.logs, transfer)[0]?.from ?? ZERO_ADDRESS;
}

/**
 * Broadcasts the transaction, also repeatedly.
 * Check then write: it can still be mined, then it is noted and sent; it may expire between: its bytes are the same, so
 * it moves the money once, and the chain decides.
 * @param begin records that from now on the money may move; false when the payment was taken over
 * @throws Failure upstream_unavailable; afterwards it is unknown whether a node has the transaction
 */
async function sendTransaction(
  { chain }: Mpp,
  payment: Payment,
  begin: () => Promise<boolean>,
): Promise<SettlementOutcome> {
  const { raw } = credentialOf(payment);
  if (raw === null) return { kind: "settled" };
  const first = payment.state === "new";
  const head = await chain.block("latest");
  const end = payment.validBefore;
  // By the clock of the blocks it has expired: no block can contain it any more.
  if (head && end && head.timestamp * 1000 >= end.getTime())
    return { kind: "refused", reason: "expired", broadcast: true };
  if (!(await begin())) return { kind: "unknown", cause: new Error("the payment was taken over"), broadcast: false };
  const outcome = await chain.send(raw);
  if (outcome.kind === "accepted" || outcome.kind === "known" || outcome.kind === "nonce_used")
    return { kind: "settled" };
  const said = outcome.kind === "rejected" ? outcome.reason : outcome.kind;
  // A node that refuses it now may have included it after an earlier broadcast.
  if (!first)
    return { kind: "unknown", cause: new Error(`the transaction was not taken again: ${said}`), broadcast: true };
  const named = reasonIn(said);
  return { kind: "refused", reason: named === null || named === "error" ? "not_settled" : named, broadcast: true };
}
