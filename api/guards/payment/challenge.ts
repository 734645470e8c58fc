/** Payments by MPP: whether an answer is to the challenge of this request, and what it is in the ledger. */
import type { ChallengeAnswer, MachinePayments } from "../../../clients/ports.ts";
import { fail } from "../../../core/errors.ts";
import type { Address, Hex } from "../../../core/facts.ts";
import { challengeMismatch, type SignedTransaction, transactionOutOfTime } from "../../../core/payments/challenges.ts";
import { type AskedTransfer, isMemoTransfer, memoTransfers } from "../../../core/payments/memo.ts";
import type { Refusal } from "../../../core/payments/terms.ts";
import { topicOf } from "../../../core/payments/transfers.ts";
import { challengeFact, type NewPayment, paymentsOf } from "../../../db/payments.ts";
import type { MachineCredential } from "../../../payments/machine.ts";
import type { PaymentDesk } from "./desk.ts";
import type { OpenTill } from "./till.ts";

type ChallengePayment = Pick<
  NewPayment,
  | "method"
  | "chainId"
  | "asset"
  | "payer"
  | "payee"
  | "amountUnits"
  | "credential"
  | "validBefore"
  | "sinceBlock"
  | "facts"
>;

/** Selector of `balanceOf(address)`. */
const BALANCE_OF = "0x70a08231";

/**
 * The payment that an answer is. An answer the ledger knows already is only told by name: what became of it is there.
 * @returns why it is none
 * @throws Failure upstream_unavailable, payment_pending
 */
export async function challengePayment(
  desk: PaymentDesk,
  till: OpenTill,
  answer: ChallengeAnswer,
): Promise<ChallengePayment | Refusal> {
  const mpp = desk.machinePayments!;
  const { given, challengeId, chainId, currency, payTo, amountUnits } = answer;
  const fact = challengeFact(chainId, challengeId);
  const [written] = await paymentsOf(desk.db, [fact]);
  // What was released is looked at anew: another answer to the same challenge may be a good one.
  const known = written?.state === "released" ? undefined : written;
  const refusal = known ? null : await refusalOf(mpp, till, answer);
  if (refusal) return refusal;
  const transaction = given.kind === "signed" ? given.transaction : null;
  const hash = transaction?.hash ?? (given as { hash: Hex }).hash;
  const credential: MachineCredential = { challengeId, hash, raw: transaction?.raw ?? null };
  return {
    method: "mpp",
    chainId,
    asset: currency,
    payer: known?.payer ?? answer.payer ?? (await senderOf(mpp, hash, askedFor(mpp, answer))),
    payee: payTo,
    amountUnits,
    credential,
    validBefore: new Date(transaction?.validBefore ? transaction.validBefore * 1000 : answer.expiresAt),
    sinceBlock: known?.sinceBlock ?? (await mpp.chain.headBlock()),
    facts: [fact],
  };
}

const askedFor = ({ realm }: MachinePayments, answer: ChallengeAnswer): AskedTransfer => ({
  token: answer.currency,
  to: answer.payTo,
  value: answer.amountUnits,
  realm,
  challengeId: answer.challengeId,
});

async function refusalOf(mpp: MachinePayments, till: OpenTill, answer: ChallengeAnswer): Promise<Refusal | null> {
  const { payTo, honoured } = till.terms!;
  const terms = { chainId: mpp.chain.id, currency: mpp.currency, payTo, honoured };
  const wrong = challengeMismatch(answer, terms, till.binding, till.request.now);
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
