/** What a payment buys beyond an answer, written down with it, so that it happens although the process that took the money died. */
import { fulfilPayment, type Lease, owePayment } from "../db/ledger.ts";
import { commitMint, lockRegistrant, type MintCall, registrationStateOf } from "../db/mint-acceptance.ts";
import type { MintRequest } from "../db/mints.ts";
import type { Queryable } from "../db/transaction.ts";

/** A registration that is paid for. */
export type MintEffect = { kind: "mint"; request: MintRequest; call: MintCall };
export type Effect = MintEffect;

/**
 * Does what a paid payment is for, or makes it a credit when that is impossible by now; in the caller's transaction, and
 * only while the caller holds the payment.
 * @returns false when another process has dealt with the payment meanwhile
 * @throws when there are no views yet (`isNoIndex`)
 */
export async function carryOut(tx: Queryable, { payment, leaseId }: Lease, now: Date): Promise<boolean> {
  const { paymentId, effect } = payment;
  const who = { paymentId, leaseId };
  const { request, call } = effect as Effect;
  await lockRegistrant(tx, request);
  const { known, before } = await registrationStateOf(tx, request, request.fingerprint);
  if (known) return (await fulfilPayment(tx, who, `mint:${known.mintId}`)) !== null;
  if (before) return (await owePayment(tx, who, "already_registered")) !== null;
  const mint = await commitMint(tx, request, call, now);
  if (await fulfilPayment(tx, who, `mint:${mint.mintId}`)) return true;
  // Nothing of it is to stay: the transaction is the caller's to undo.
  throw new Error(`payment ${paymentId} was taken over while its effect was carried out`);
}
