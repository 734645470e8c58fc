/** Settlement of MPP payments: the stored credential, the evidence on its chain, and the broadcast of the signed transaction. */
import type { Mpp } from "../clients/ports.ts";
import type { Hex } from "../core/agents/facts.ts";
import { reasonIn } from "../core/payments/refusals.ts";
import type { Payment } from "../db/payments/payments.ts";
import { type Evidence, findAnswer } from "./evidence.ts";
import type { SettlementOutcome } from "./outcome.ts";

/** The ledger's record of an answered challenge. */
export type MppCredential = {
  challengeId: string;
  /** Of the transaction that contains the transfer. */
  hash: Hex;
  /** The signed transaction that the service broadcasts; null when the payer has broadcast it. */
  raw: Hex | null;
};

const credentialOf = ({ credential }: Payment) => credential as MppCredential;

/** The evidence for a payment on its chain. @throws Failure upstream_unavailable */
export function findMppSettlement(mpp: Mpp, payment: Payment): Promise<Evidence> {
  const { challengeId, hash } = credentialOf(payment);
  return findAnswer(mpp.chain, { ...payment, realm: mpp.realm, challengeId, hash }, mpp.confirmations);
}

/**
 * Broadcasts the transaction, also repeatedly.
 * Check then write: it can still be mined, then it is noted and sent; it may expire between: its bytes are the same, so
 * it moves the money once, and the chain decides.
 * @param begin records that from now on the money may move; false when the payment was taken over
 * @throws Failure upstream_unavailable; afterwards it is unknown whether a node has the transaction
 */
export async function sendMppTransaction(
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
  return { kind: "refused", reason: named === null || named === "trouble" ? "not_settled" : named, broadcast: true };
}
