/** Payments by credit: money that a wallet has paid and received nothing for. */
import { type Lease, spendCredit } from "../../db/payments/ledger.ts";
import { dropLease, takeUp } from "../../db/payments/payment-leases.ts";
import { creditsOf, type Payment, paidPaymentsOf } from "../../db/payments/payments.ts";
import { isThere } from "../../settlement/settle.ts";
import type { OpenCheckout, SettleOptions } from "./checkout.ts";
import { LEASE_MS } from "./lease.ts";
import { inProgress } from "./payment-refusals.ts";
import type { PaymentService } from "./payment-service.ts";
import { optionalSignIn } from "./sign-in.ts";

type SpentCredit = { payment: Payment; lease: Lease };

/**
 * This request's own payment that a crash has left, or a credit of the wallet; null without either.
 * Check then write: the row is `paid` by this request, then `takeUp`; it may become a credit, or be taken up: the lease
 * is taken by guarded update, and state and fingerprint are compared again.
 */
export async function collectCredit(
  service: PaymentService,
  checkout: OpenCheckout,
  options: SettleOptions,
): Promise<SpentCredit | null> {
  const { wallet, fingerprint } = checkout.request;
  if (!wallet) return spendOwnCredit(service, checkout, options);
  const left = await paidPaymentsOf(service.db, { wallet, fingerprint });
  for (const { paymentId } of left) {
    const lease = await takeUp(service.db, paymentId, LEASE_MS);
    // Since it was read it may have become a credit and been spent on another request.
    if (lease?.payment.state === "paid" && lease.payment.fingerprint === fingerprint)
      return { payment: lease.payment, lease };
    if (lease) await dropLease(service.db, { paymentId, leaseId: lease.leaseId });
    return inProgress(2);
  }
  return spendOwnCredit(service, checkout, options);
}

/**
 * Spends a credit of the wallet that signed in, of an amount accepted as the price; null without one.
 * Check then write: the credit's transfer is in the chain, then `spendCredit`; it may be spent, moved or lost: guarded
 * update on state, block hash, payee and amount; `payment_unique_key` is unique.
 */
export async function spendOwnCredit(
  service: PaymentService,
  checkout: OpenCheckout,
  { uniqueKey, effect }: SettleOptions,
): Promise<SpentCredit | null> {
  const { operation, fingerprint } = checkout.request;
  const { payTo, honoured } = checkout.terms!;
  const wallet = checkout.request.wallet ?? (await optionalSignIn(checkout));
  if (!wallet) return null;
  const asked = { operation, fingerprint, uniqueKey: uniqueKey ?? null, effect: effect ?? null };
  for (const credit of await creditsOf(service.db, { wallet, payee: payTo, amounts: honoured })) {
    if (!(await isThere(service.settlement, credit))) continue;
    const spent = await spendCredit(service.db, credit, asked, LEASE_MS);
    if (spent === "unique_key_taken") return inProgress(2);
    // Another request may have spent it during the check on the chain.
    if (spent) return { payment: spent.payment, lease: spent };
  }
  return null;
}
