/** Payments by MPP on their way: what the ledger keeps of one, what its chain knows of it, and sending what its payer has signed. */
import type { MachinePayments } from "../clients/ports.ts";
import type { Hex } from "../core/facts.ts";
import type { Payment } from "../db/payments.ts";
import { type Evidence, findAnswer } from "./evidence.ts";
import type { SettlementOutcome } from "./outcome.ts";

/** What the ledger keeps of an answered challenge. */
export type MachineCredential = {
  challengeId: string;
  /** Of the transaction that holds the transfer. */
  hash: Hex;
  /** To be sent by us; null when its payer has sent it. */
  raw: Hex | null;
};

const credentialOf = ({ credential }: Payment) => credential as MachineCredential;

/** What the chain knows of a payment. @throws Failure upstream_unavailable */
export function findMachinePayment(mpp: MachinePayments, payment: Payment): Promise<Evidence> {
  const { challengeId, hash } = credentialOf(payment);
  return findAnswer(mpp.chain, { ...payment, realm: mpp.realm, challengeId, hash }, mpp.confirmations);
}

/**
 * Sends the transaction, again if it was sent before: its bytes are the same, so that it moves the money once.
 * @param begin notes that from now on the money may move; false when the payment was taken over
 * @throws Failure upstream_unavailable, after which it is not known whether a node has it
 */
export async function sendMachinePayment(
  { chain }: MachinePayments,
  payment: Payment,
  begin: () => Promise<boolean>,
): Promise<SettlementOutcome> {
  const { raw } = credentialOf(payment);
  if (raw === null) return { kind: "settled" };
  const first = payment.state === "new";
  const head = await chain.block("latest");
  const end = payment.validBefore;
  // By the clock of the blocks: none can hold it any more.
  if (head && end && head.timestamp * 1000 >= end.getTime())
    return { kind: "refused", reason: "expired", broadcast: true };
  if (!(await begin())) return { kind: "unknown", cause: new Error("the payment was taken over"), broadcast: false };
  const outcome = await chain.send(raw);
  if (outcome.kind === "accepted" || outcome.kind === "known" || outcome.kind === "nonce_used")
    return { kind: "settled" };
  const said = outcome.kind === "rejected" ? outcome.reason : outcome.kind;
  // A node that refuses it now may have mined it when it was sent before.
  if (!first)
    return { kind: "unknown", cause: new Error(`the transaction was not taken again: ${said}`), broadcast: true };
  const reason = /insufficient|unfunded/i.test(said) ? "insufficient_funds" : "not_settled";
  return { kind: "refused", reason, broadcast: true };
}
