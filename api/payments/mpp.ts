/** Payments by MPP: checks that an answer belongs to the challenge of this request, and makes it a payment of the ledger. */
import type { ChallengeAnswer, Mpp } from "../../clients/ports.ts";
import type { Address, Hex } from "../../core/agents/facts.ts";
import { fail } from "../../core/errors.ts";
import { challengeMismatch, type SignedTransaction, transactionOutOfTime } from "../../core/payments/challenges.ts";
import { Checked } from "../../core/payments/checked.ts";
import { type AskedTransfer, isMemoTransfer, memoTransfers } from "../../core/payments/memo.ts";
import type { Refusal } from "../../core/payments/refusals.ts";
import { topicOf } from "../../core/payments/transfers.ts";
import { challengeFact, digestOf, type PaymentName, type PaymentTerms } from "../../db/payments/payments.ts";
import { presentPayment, resumePayment } from "../../db/payments/present-payment.ts";
import type { MppCredential } from "../../settlement/mpp.ts";
import type { OpenCheckout, SettleOptions } from "./checkout.ts";
import { LEASE_MS } from "./lease.ts";
import { refuse } from "./payment-refusals.ts";
import type { PaymentService } from "./payment-service.ts";
import { claimOf, presenter } from "./presented.ts";
import { type CollectedPayment, resume } from "./resume.ts";

/** Selector of `balanceOf(address)`. */
const BALANCE_OF = "0x70a08231";

const hashOf = ({ given }: ChallengeAnswer): Hex => (given.kind === "signed" ? given.transaction.hash : given.hash);

/**
 * Check then write: terms, time, signature and balance, then `presentPayment`; the row, its state and the chain may
 * change between: safe as in x402.ts.
 */
export async function collectMpp(
  service: PaymentService,
  checkout: OpenCheckout,
  answer: ChallengeAnswer | null,
  options: SettleOptions,
): Promise<CollectedPayment> {
  if (answer === null) return refuse(checkout, "unknown_challenge");
  const known = await resumePayment(service.db, challengeName(answer), presenter(checkout, "challenge"), LEASE_MS);
  if (known.kind !== "unchecked") return resume(service, checkout, known, options);
  const checked = await checkChallenge(service, checkout, answer);
  if (typeof checked === "string") return refuse(checkout, checked);
  const claim = claimOf(checkout, options, {
    by: "challenge",
    sinceBlock: await service.mpp!.chain.headBlock(),
    client: null,
  });
  return resume(service, checkout, await presentPayment(service.db, checked, claim, null, LEASE_MS), options);
}

/** Identifies an answer: its challenge, the transaction it names and the payer it names. */
const challengeName = (answer: ChallengeAnswer): PaymentName => ({
  facts: [challengeFact(answer.chainId, answer.challengeId)],
  digest: digestOf("mpp", answer.chainId, answer.challengeId, hashOf(answer), answer.payer),
  identifier: null,
});

/**
 * An answer as a checked payment.
 * @returns the reason where it is none
 * @throws Failure upstream_unavailable, payment_pending
 */
async function checkChallenge(
  service: PaymentService,
  checkout: OpenCheckout,
  answer: ChallengeAnswer,
): Promise<Checked<PaymentTerms> | Refusal> {
  const mpp = service.mpp!;
  // Before any call to the chain: an answer for another request does not pay for this one, mined or not.
  const wrong = challengeMismatch(answer, requiredTerms(mpp, checkout), checkout.binding, checkout.request.now);
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
  return Checked.of(terms, (written) => refusalOf(mpp, checkout, answer, written));
}

const requiredTerms = ({ chain, currency }: Mpp, checkout: OpenCheckout) => ({
  chainId: chain.id,
  currency,
  payTo: checkout.terms!.payTo,
  honoured: checkout.terms!.honoured,
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
  checkout: OpenCheckout,
  answer: ChallengeAnswer,
  { chainId, asset, payee, amountUnits }: Readonly<PaymentTerms>,
): Promise<Refusal | null> {
  const claims = { ...answer, chainId, currency: asset, payTo: payee, amountUnits };
  const wrong = challengeMismatch(claims, requiredTerms(mpp, checkout), checkout.binding, checkout.request.now);
  if (wrong || answer.given.kind === "sent") return wrong;
  const { transaction } = answer.given;
  if (transaction.chainId !== mpp.chain.id) return "unsupported_network";
  if (!transaction.calls.some((call) => isMemoTransfer(call, requiredTransfer(mpp, answer))))
    return "no_matching_transfer";
  const late = transactionOutOfTime(transaction, Math.floor(checkout.request.now / 1000));
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
async function senderOf(mpp: Mpp, hash: Hex, asked: AskedTransfer): Promise<Address> {
  const receipt = await mpp.chain.receipt(hash);
  if (receipt === null)
    return fail("payment_pending", "The payment's transaction is not mined yet.", {
      hint: "Repeat the request with the same payment.",
      retryAfter: 2,
    });
  // Without such a transfer there is no payment: the check of the chain will find that.
  return memoTransfers(receipt.logs, asked)[0]?.from ?? "0x0000000000000000000000000000000000000000";
}
