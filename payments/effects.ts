/** What a payment buys beyond an answer, written down with it, so that it happens although the process that took the money died. */
import { fulfilPayment, owePayment } from "../db/ledger.ts";
import { commitMint, lockRegistrant, type MintCall, standingOf } from "../db/mint-acceptance.ts";
import type { MintRequest } from "../db/mints.ts";
import type { Payment } from "../db/payments.ts";
import type { Queryable } from "../db/transaction.ts";

/** A registration that is paid for. */
export type MintEffect = { kind: "mint"; request: MintRequest; call: MintCall };
export type Effect = MintEffect;

/**
 * Does what a paid payment is for, or makes it a credit when that is impossible by now; in the caller's transaction.
 * @returns false when another process has dealt with the payment meanwhile
 * @throws when there are no views yet (`isNoIndex`)
 */
export async function carryOut(tx: Queryable, { paymentId, effect }: Payment, now: Date): Promise<boolean> {
  const { request, call } = effect as Effect;
  await lockRegistrant(tx, request);
  const { known, before } = await standingOf(tx, request, request.fingerprint);
  if (known) return (await fulfilPayment(tx, { paymentId }, `mint:${known.mintId}`)) !== null;
  if (before) return (await owePayment(tx, { paymentId }, "already_registered")) !== null;
  const mint = await commitMint(tx, request, call, now);
  if (await fulfilPayment(tx, { paymentId }, `mint:${mint.mintId}`)) return true;
  // Nothing of it is to stay: the transaction is the caller's to undo.
  throw new Error(`payment ${paymentId} was taken over while its effect was carried out`);
}
