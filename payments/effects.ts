/** The effect of a payment beyond an answer, stored with it, so that it is carried out even if the process that settled it died. */
import { commitMint, lockRegistrant, type MintCall, registrationStateOf } from "../db/mints/mint-acceptance.ts";
import type { MintRequest } from "../db/mints/mints.ts";
import { fulfilPayment, type Lease, owePayment } from "../db/payments/ledger.ts";
import type { Queryable } from "../db/sql/transaction.ts";

/** A registration that is paid for. */
export type MintEffect = { kind: "mint"; request: MintRequest; call: MintCall };

/**
 * Carries out the effect of a paid payment, or makes the payment a credit when the effect has become impossible. Runs in
 * the caller's transaction, and only under the caller's lease.
 * Check then write: not registered yet, then the mint and `fulfilPayment`; another request may register: advisory lock
 * of the registrant, one transaction under the lease, which rolls back when the lease is gone.
 * @returns false when another process has taken over the payment
 * @throws when there are no views yet (`isNoIndex`)
 */
export async function carryOut(tx: Queryable, { payment, leaseId }: Lease, now: Date): Promise<boolean> {
  const { paymentId, effect } = payment;
  const who = { paymentId, leaseId };
  const { request, call } = effect as MintEffect;
  await lockRegistrant(tx, request);
  const { known, before } = await registrationStateOf(tx, request, request.fingerprint);
  if (known) return (await fulfilPayment(tx, who, `mint:${known.mintId}`)) !== null;
  if (before) return (await owePayment(tx, who, "already_registered")) !== null;
  const mint = await commitMint(tx, request, call, now, null);
  if (await fulfilPayment(tx, who, `mint:${mint.mintId}`)) return true;
  // The caller rolls the transaction back, so nothing of the effect stays.
  throw new Error(`payment ${paymentId} was taken over while its effect was carried out`);
}
