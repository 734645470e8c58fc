/** Runs a handler that is paid for, and keeps the ledger and the response headers in step with its outcome. */
import type { Failure } from "../../core/errors.ts";
import { owePayment } from "../../db/payments/ledger.ts";
import { dropLease, storeReply } from "../../db/payments/payment-leases.ts";
import { type Payment, paymentsOf } from "../../db/payments/payments.ts";
import { methodOf } from "../../settlement/methods.ts";
import type { OpenCheckout } from "./checkout.ts";
import type { PaymentService } from "./payment-service.ts";
import { ReplayedAnswer } from "./resume.ts";

type AnyReply = { status: number; type: string; content: unknown; headers?: Record<string, string>; final?: boolean };

/**
 * Runs a handler with its checkout. A bought answer is stored for the same request. A refusal after payment makes the
 * payment a credit of its payer. After any other failure the same payment can be tried again.
 */
export async function withPayment<R extends AnyReply>(
  service: PaymentService,
  checkout: OpenCheckout,
  handle: () => Promise<R>,
): Promise<R> {
  const { db, log } = service;
  const updateLedger = (work: Promise<unknown>) =>
    work.catch((err) => log.warn({ err }, "a payment's row could not be brought up to date"));
  try {
    const reply = await handle();
    const { paid } = checkout;
    // The handler recognised the payment, and had nothing to settle.
    if (!paid)
      return reply.status < 300
        ? { ...reply, headers: { ...reply.headers, ...(await knownResponse(service, checkout)) } }
        : reply;
    const headers = { ...reply.headers, ...responseOf(service, paid.payment) };
    if (paid.fulfilled && reply.final !== false && reply.status < 300 && typeof reply.content === "string")
      await updateLedger(
        storeReply(db, paid.payment, {
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
async function knownResponse(service: PaymentService, { key, request }: OpenCheckout) {
  if (key === null) return {};
  const [known] = await paymentsOf(service.db, [key]).catch(() => []);
  return known && known.fingerprint === request.fingerprint ? responseOf(service, known) : {};
}

/** The headers that name the payment's transaction, in the format of the way that it was paid by. */
function responseOf({ settlement }: PaymentService, payment: Payment): Record<string, string> {
  const { txHash } = payment;
  if (!txHash) return {};
  return methodOf(settlement, payment)?.receipt(settlement, { ...payment, txHash }) ?? {};
}
