/** Continues with a payment in the state in which the ledger has it: settles it, replays its answer, or refuses. */
import { fail } from "../../core/errors.ts";
import type { Lease } from "../../db/payments/ledger.ts";
import { dropLease } from "../../db/payments/payment-leases.ts";
import type { Payment, StoredReply } from "../../db/payments/payments.ts";
import type { PresentOutcome } from "../../db/payments/present-payment.ts";
import { methodOf } from "../../settlement/methods.ts";
import { bringIn } from "../../settlement/settle.ts";
import type { OpenCheckout, SettleOptions } from "./checkout.ts";
import { spendOwnCredit } from "./credit.ts";
import { withLease } from "./lease.ts";
import { alreadyUsed, inProgress, refuse } from "./payment-refusals.ts";
import type { PaymentService } from "./payment-service.ts";
import { clientOf } from "./presented.ts";
import { optionalSignIn } from "./sign-in.ts";

/** A payment whose money is there; `lease` is null for one that was fulfilled before. */
export type CollectedPayment = { payment: Payment; lease: Lease | null };

/** Thrown where the same payment has bought the same request's answer before: that answer is given again. */
export class ReplayedAnswer extends Error {
  readonly payment: Payment;
  readonly reply: StoredReply;
  constructor(payment: Payment, reply: StoredReply) {
    super("answered before");
    this.payment = payment;
    this.reply = reply;
  }
}

/** @throws Failure payment_required, payment_pending, payment_already_used, request_in_progress; ReplayedAnswer */
export async function resume(
  service: PaymentService,
  checkout: OpenCheckout,
  presented: PresentOutcome,
  options: SettleOptions,
): Promise<CollectedPayment> {
  switch (presented.kind) {
    case "leased":
      return settle(service, checkout, presented);
    case "done":
      return resumeDone(service, checkout, presented, options);
    case "other":
      return alreadyUsed();
    case "identifier_used":
      return fail(
        "payment_already_used",
        "This payment identifier is the name of another payment. Nothing was charged.",
        { hint: "Give a new payment a new identifier, or repeat the other payment unchanged." },
      );
    case "busy":
      return inProgress(presented.retryAfterSeconds);
    case "unique_key_taken":
      return inProgress(2);
  }
}

/** Settles a payment under its lease. */
async function settle(service: PaymentService, checkout: OpenCheckout, lease: Lease): Promise<CollectedPayment> {
  const { description, serviceName, declaration } = checkout.terms!.resource;
  const declared = { description, serviceName, extensions: { bazaar: declaration.extension } };
  const result = await withLease(service, lease, () =>
    bringIn(service.settlement, lease, service.config.payments.waitMs, declared),
  );
  if (result.kind === "paid") return { payment: result.payment, lease: { ...lease, payment: result.payment } };
  if (result.kind === "refused") refuse(checkout, result.reason);
  const who = { paymentId: lease.payment.paymentId, leaseId: lease.leaseId };
  // A lease that cannot be given back expires by itself.
  await dropLease(service.db, who).catch(() => {});
  return fail("payment_pending", "It is not known yet whether the payment was settled.", {
    hint: "Repeat the request with the same payment; a new one could be charged as well.",
    retryAfter: 5,
    cause: result.cause,
  });
}

/** Milliseconds in which an answer bought without a wallet is given again to a client that lost it. */
const REPLAY_MS = 600_000;

/** A payment that this very request has used up before, or that is its payer's credit. */
async function resumeDone(
  service: PaymentService,
  checkout: OpenCheckout,
  { payment, named }: Extract<PresentOutcome, { kind: "done" }>,
  options: SettleOptions,
): Promise<CollectedPayment> {
  // Without what it bought, a lost payment was a credit: nothing was given for it, and there is no money.
  if (payment.state === "fulfilled" || (payment.state === "lost" && payment.bought !== null)) {
    if (!(await mayReplay(service, checkout, payment, named)))
      return fail("payment_already_used", "What this payment has bought was given out. Nothing was charged.", {
        hint: "To have it once more, repeat the request signed in with the wallet that paid (SIWA or SIWE).",
      });
    if (payment.answer) throw new ReplayedAnswer(payment, payment.answer);
    return { payment, lease: null };
  }
  if (payment.state === "refund_due") {
    const credit = await spendOwnCredit(service, checkout, options);
    if (credit) return credit;
  }
  return alreadyUsed();
}

/**
 * Whether the answer that a payment bought is given to its request again. After the settlement anyone can read an
 * authorization on the chain, so a bearer has to show more: the payer's sign-in, or for ten minutes the identifier that
 * the payer gave to the payment, or the network that it paid from.
 * @param named the payment was presented by its identifier, too
 */
async function mayReplay(
  { settlement }: PaymentService,
  checkout: OpenCheckout,
  payment: Payment,
  named: boolean,
): Promise<boolean> {
  const { request, given } = checkout;
  const isPublic = given?.method.isPublic && methodOf(settlement, payment)?.isPublic !== false;
  // Only the same wallet signs the same request, only its client knows a challenge, and a hash needs its payer's sign-in.
  if (request.wallet !== null || !isPublic) return true;
  if ((await optionalSignIn(checkout)) === payment.payer) return true;
  if (request.now - (payment.paidAt?.getTime() ?? 0) > REPLAY_MS || payment.digest === null) return false;
  return named || payment.client === clientOf(checkout, { digest: payment.digest });
}
