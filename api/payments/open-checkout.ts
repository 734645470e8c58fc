/** Opens the checkout of a request: price, terms, and the payment that the request brings. */
import { hash } from "node:crypto";
import { fail } from "../../core/errors.ts";
import type { RequestBinding } from "../../core/payments/challenges.ts";
import { fulfilPayment } from "../../db/payments/ledger.ts";
import { FREE, type OpenCheckout, type PaidRequest, type PaymentReference, type SettleOptions } from "./checkout.ts";
import { type CollectedPayment, collectPayment } from "./collect.ts";
import { keepLease } from "./lease.ts";
import { readPayment } from "./payment-headers.ts";
import { paymentRequired } from "./payment-options.ts";
import type { PaymentService } from "./payment-service.ts";

/** Opens the checkout of a request. Payment headers are read only where there is a price. @throws Failure invalid_input */
export async function openCheckout(service: PaymentService, request: PaidRequest): Promise<OpenCheckout> {
  const price = await service.price(request.operation);
  const terms = price.units === 0n ? null : service.termsFor(request, price);
  const given = terms ? await readPayment(request.headers, service.settlement) : null;
  const binding = bindingOf(request);
  const checkout: OpenCheckout = {
    price: price.units,
    given,
    key: given?.method.nameOf(given.credential, service.settlement) ?? null,
    request: {
      ...request,
      fingerprint: hash("sha256", JSON.stringify([request.wallet, request.fingerprint]), "hex"),
    },
    terms,
    binding,
    paid: null,
    release() {},
    payer: async () => given?.method.payer(given.credential) ?? request.wallet ?? (await request.signedIn()),
    refusal: (reason, retryAfter) => paymentRequired(service.settlement, terms!, binding, reason, retryAfter),
    settle: (options = {}) => (terms ? settle(service, checkout, options) : Promise.resolve(FREE)),
  };
  return checkout;
}

async function settle(
  service: PaymentService,
  checkout: OpenCheckout,
  options: SettleOptions,
): Promise<PaymentReference> {
  const collected = await collectPayment(service, checkout, options);
  const { payment, lease } = collected;
  const paid = { payment, lease, fulfilled: payment.state === "fulfilled" || payment.state === "lost" };
  checkout.paid = paid;
  // Renewed until it is fulfilled, so that a copy of the request does not take it over from a slow process.
  if (lease) checkout.release = keepLease(service, lease);
  return {
    method: payment.method,
    reference: `${payment.chainId}:${payment.txHash}:${payment.logIndex}`,
    amountUnits: payment.amountUnits,
    async fulfil(tx, bought) {
      if (paid.fulfilled) return;
      await fulfil(tx, collected, bought);
      paid.fulfilled = true;
    },
  };
}

/**
 * Check then write: settled, then `fulfilPayment`, `owePayment` or `storeReply`; the sweep may take the payment over,
 * and it may be a credit by now that pays for something else: each write needs lease and state `paid`, and a reply the
 * same fingerprint and no reply before.
 */
async function fulfil(
  tx: Parameters<PaymentReference["fulfil"]>[0],
  { payment, lease }: CollectedPayment,
  bought: string,
): Promise<void> {
  const done = await fulfilPayment(tx, { paymentId: payment.paymentId, leaseId: lease!.leaseId }, bought);
  if (!done) fail("payment_pending", "The payment is being used elsewhere. Retry with the same payment.");
}

/** Identifies a request before anyone has signed in: one client may get the challenge and another pay it. */
const bindingOf = ({ operation, method, path, search, body }: PaidRequest): RequestBinding => ({
  resource: hash("sha256", JSON.stringify([operation, method, path, search]), "hex"),
  bodyDigest: body.length === 0 ? null : `sha-256=${hash("sha256", body, "base64")}`,
});
