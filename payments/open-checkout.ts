/** Opens the checkout of a request: price, terms, and the payment that the request brings. */
import { hash } from "node:crypto";
import { type Failure, fail } from "../core/errors.ts";
import type { RequestBinding } from "../core/payments/challenges.ts";
import { fulfilPayment, owePayment } from "../db/payments/ledger.ts";
import { dropLease, storeReply } from "../db/payments/payment-leases.ts";
import { type Payment, paymentsOf } from "../db/payments/payments.ts";
import {
  FREE,
  type OpenCheckout,
  type PaidRequest,
  type PaymentReference,
  type Sales,
  type SettleOptions,
} from "./checkout.ts";
import { collectPayment, keepLease, ReplayedAnswer } from "./collect.ts";
import { paymentRequired, readPayment } from "./headers.ts";
import type { SalesParts } from "./methods/method.ts";
import { methodOf } from "./methods.ts";

/** Opens the checkout of a request. Payment headers are read only where there is a price. @throws Failure invalid_input */
export async function openCheckout(sales: Sales, request: PaidRequest): Promise<OpenCheckout> {
  const price = await sales.price(request.operation);
  const terms = price.units === 0n ? null : sales.termsFor(request, price);
  const given = terms ? await readPayment(request.headers, sales.settlement) : null;
  const binding = bindingOf(request);
  const checkout: OpenCheckout = {
    sales,
    price: price.units,
    given,
    key: given?.method.nameOf(given.credential, sales.settlement) ?? null,
    request: {
      ...request,
      fingerprint: hash("sha256", JSON.stringify([request.wallet, request.fingerprint]), "hex"),
    },
    terms,
    binding,
    paid: null,
    release() {},
    payer: async () => given?.method.payer(given.credential) ?? request.wallet ?? (await request.signedIn()),
    refusal: (reason, retryAfter) => paymentRequired(sales.settlement, terms!, binding, reason, retryAfter),
    settle: (options = {}) => (terms ? settle(checkout, options) : Promise.resolve(FREE)),
  };
  return checkout;
}

/**
 * Check then write: settled, then `fulfilPayment`, `owePayment` or `storeReply`; the sweep may take the payment over,
 * and it may be a credit by now that pays for something else: each write needs lease and state `paid`, and a reply the
 * same fingerprint and no reply before.
 */
async function settle(checkout: OpenCheckout, options: SettleOptions): Promise<PaymentReference> {
  const { payment, lease } = await collectPayment(checkout, options);
  const paid = { payment, lease, fulfilled: payment.state === "fulfilled" || payment.state === "lost" };
  checkout.paid = paid;
  // Renewed until it is fulfilled, so that a copy of the request does not take it over from a slow process.
  if (lease) checkout.release = keepLease(checkout.sales, lease);
  return {
    method: payment.method,
    reference: `${payment.chainId}:${payment.txHash}:${payment.logIndex}`,
    amountUnits: payment.amountUnits,
    async fulfil(tx, bought) {
      if (paid.fulfilled) return;
      const done = await fulfilPayment(tx, { paymentId: payment.paymentId, leaseId: lease!.leaseId }, bought);
      if (!done) fail("payment_pending", "The payment is being used elsewhere. Retry with the same payment.");
      paid.fulfilled = true;
    },
  };
}

/** Identifies a request before anyone has signed in: one client may get the challenge and another pay it. */
const bindingOf = ({ operation, method, path, search, body }: PaidRequest): RequestBinding => ({
  resource: hash("sha256", JSON.stringify([operation, method, path, search]), "hex"),
  bodyDigest: body.length === 0 ? null : `sha-256=${hash("sha256", body, "base64")}`,
});

type AnyReply = { status: number; type: string; content: unknown; headers?: Record<string, string>; final?: boolean };

/**
 * Runs a handler with its checkout. A bought answer is stored for the same request. A refusal after payment makes the
 * payment a credit of its payer. After any other failure the same payment can be tried again.
 */
export async function withPayment<R extends AnyReply>(checkout: OpenCheckout, handle: () => Promise<R>): Promise<R> {
  const { log, settlement } = checkout.sales;
  const { db } = settlement;
  const updateLedger = (work: Promise<unknown>) =>
    work.catch((err) => log.warn({ err }, "a payment's row could not be brought up to date"));
  try {
    const reply = await handle();
    const { paid } = checkout;
    // The handler recognised the payment, and had nothing to settle.
    if (!paid)
      return reply.status < 300
        ? { ...reply, headers: { ...reply.headers, ...(await knownResponse(checkout)) } }
        : reply;
    const headers = { ...reply.headers, ...responseOf(settlement, paid.payment) };
    if (paid.fulfilled && reply.final !== false && reply.status < 300 && typeof reply.content === "string")
      await updateLedger(
        storeReply(db, {
          ...paid.payment,
          status: reply.status,
          headers: { ...headers, "content-type": reply.type },
          body: reply.content,
        }),
      );
    return { ...reply, headers };
  } catch (error) {
    if (error instanceof ReplayedAnswer) return replyOf(error) as R;
    const { paid } = checkout;
    if (paid && !paid.fulfilled && isRefusal(error)) {
      const { payment, lease } = paid;
      await updateLedger(
        owePayment(db, { paymentId: payment.paymentId, leaseId: lease!.leaseId }, "refused_after_payment"),
      );
      checkout.paid = null;
    }
    throw error;
  } finally {
    checkout.release();
    const lease = checkout.paid?.lease;
    if (lease) await updateLedger(dropLease(db, { paymentId: lease.payment.paymentId, leaseId: lease.leaseId }));
  }
}

const replyOf = ({ reply: { status, headers, body } }: ReplayedAnswer): AnyReply => ({
  status,
  type: headers["content-type"] ?? "application/json; charset=utf-8",
  content: body,
  headers: { ...headers, "idempotent-replayed": "true" },
});

const isRefusal = (error: unknown): boolean => {
  const status = (error as Partial<Failure> | null)?.status;
  return status !== undefined && status >= 400 && status < 500;
};

/** Headers about the payment a request brought, where the ledger has that payment for this request. */
async function knownResponse({ sales: { settlement }, key, request }: OpenCheckout) {
  if (key === null) return {};
  const [known] = await paymentsOf(settlement.db, [key]).catch(() => []);
  return known && known.fingerprint === request.fingerprint ? responseOf(settlement, known) : {};
}

/** The headers that name the payment's transaction, in the format of the way that it was paid by. */
function responseOf(settlement: SalesParts, payment: Payment): Record<string, string> {
  const { txHash } = payment;
  if (!txHash) return {};
  return methodOf(settlement, payment)?.receipt(settlement, { ...payment, txHash }) ?? {};
}
