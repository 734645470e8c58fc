/** Payments by MPP: whether an answer is to the challenge of this request, and what it is in the ledger. */
import type { ChallengeAnswer, MachinePayments } from "../../clients/ports.ts";
import { fail } from "../../core/errors.ts";
import type { Address, Hex } from "../../core/facts.ts";
import { challengeMismatch, type SignedTransaction, transactionOutOfTime } from "../../core/payments/challenges.ts";
import { Checked } from "../../core/payments/checked.ts";
import { type AskedTransfer, isMemoTransfer, memoTransfers } from "../../core/payments/memo.ts";
import type { Refusal } from "../../core/payments/terms.ts";
import { topicOf } from "../../core/payments/transfers.ts";
import { challengeFact, digestOf, type PaymentName, type PaymentTerms } from "../../db/payments.ts";
import type { MachineCredential } from "../../settlement/machine.ts";
import type { OpenTill } from "./checkout.ts";
import type { PaymentDesk } from "./payment-service.ts";

/** Selector of `balanceOf(address)`. */
const BALANCE_OF = "0x70a08231";

const hashOf = ({ given }: ChallengeAnswer): Hex => (given.kind === "signed" ? given.transaction.hash : given.hash);

/** What an answer is known by: its challenge, the transaction it names and the payer it names. */
export const challengeName = (answer: ChallengeAnswer): PaymentName => ({
  facts: [challengeFact(answer.chainId, answer.challengeId)],
  digest: digestOf("mpp", answer.chainId, answer.challengeId, hashOf(answer), answer.payer),
  identifier: null,
});

/**
 * The payment that an answer is, checked.
 * @returns why it is none
 * @throws Failure upstream_unavailable, payment_pending
 */
export async function checkChallenge(
  desk: PaymentDesk,
  till: OpenTill,
  answer: ChallengeAnswer,
): Promise<Checked<PaymentTerms> | Refusal> {
  const mpp = desk.machinePayments!;
  // Before anything is asked of the chain: what is for another request is no payment of this one, mined or not.
  const wrong = challengeMismatch(answer, askedTerms(mpp, till), till.binding, till.request.now);
  if (wrong) return wrong;
  const { given, challengeId, chainId, currency, payTo, amountUnits } = answer;
  const { facts, digest } = challengeName(answer);
  const transaction = given.kind === "signed" ? given.transaction : null;
  const credential: MachineCredential = { challengeId, hash: hashOf(answer), raw: transaction?.raw ?? null };
  const terms: PaymentTerms = {
    method: "mpp",
    chainId,
    asset: currency,
    payer: answer.payer ?? (await senderOf(mpp, credential.hash, askedFor(mpp, answer))),
    payee: payTo,
    amountUnits,
    credential,
    validBefore: new Date(transaction?.validBefore ? transaction.validBefore * 1000 : answer.expiresAt),
    facts,
    digest,
  };
  return Checked.of(terms, (written) => refusalOf(mpp, till, answer, written));
}

const askedTerms = ({ chain, currency }: MachinePayments, till: OpenTill) => ({
  chainId: chain.id,
  currency,
  payTo: till.terms!.payTo,
  honoured: till.terms!.honoured,
});

const askedFor = ({ realm }: MachinePayments, answer: ChallengeAnswer): AskedTransfer => ({
  token: answer.currency,
  to: answer.payTo,
  value: answer.amountUnits,
  realm,
  challengeId: answer.challengeId,
});

/** Whether what is to be written is what is asked for, and can be paid. */
async function refusalOf(
  mpp: MachinePayments,
  till: OpenTill,
  answer: ChallengeAnswer,
  { chainId, asset, payee, amountUnits }: Readonly<PaymentTerms>,
): Promise<Refusal | null> {
  const claims = { ...answer, chainId, currency: asset, payTo: payee, amountUnits };
  const wrong = challengeMismatch(claims, askedTerms(mpp, till), till.binding, till.request.now);
  if (wrong || answer.given.kind === "sent") return wrong;
  const { transaction } = answer.given;
  if (transaction.chainId !== mpp.chain.id) return "unsupported_network";
  if (!transaction.calls.some((call) => isMemoTransfer(call, askedFor(mpp, answer)))) return "no_matching_transfer";
  const late = transactionOutOfTime(transaction, Math.floor(till.request.now / 1000));
  return late ?? ((await isCovered(mpp, transaction, answer)) ? null : "insufficient_funds");
}

/** Whether the payer holds what it pays. One that calls something else as well may get it by that. */
async function isCovered(mpp: MachinePayments, { from, calls }: SignedTransaction, answer: ChallengeAnswer) {
  if (calls.length > 1) return true;
  const held = await mpp.chain.call({ to: answer.currency, data: `${BALANCE_OF}${topicOf(from).slice(2)}` });
  return !held.ok || BigInt(held.data) >= answer.amountUnits;
}

/**
 * Who sent the transfer that answers a challenge, for answers that do not name their payer.
 * @throws Failure payment_pending while there is no such transaction
 */
async function senderOf(mpp: MachinePayments, hash: Hex, asked: AskedTransfer): Promise<Address> {
  const receipt = await mpp.chain.receipt(hash);
  if (receipt === null)
    return fail("payment_pending", "The payment's transaction is not mined yet.", {
      hint: "Repeat the request with the same payment.",
      retryAfter: 2,
    });
  // Without such a transfer nobody has paid: that is what the look at the chain will find.
  return memoTransfers(receipt.logs, asked)[0]?.from ?? "0x0000000000000000000000000000000000000000";
}
