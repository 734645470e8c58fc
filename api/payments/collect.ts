/** Collects the payment of a request: by the way to pay that it was brought by, or a credit. */
import { presentPayment, resumePayment } from "../../db/payments/present-payment.ts";
import type { AskingRequest } from "../../settlement/methods/method.ts";
import type { OpenCheckout, SettleOptions } from "./checkout.ts";
import { collectCredit } from "./credit.ts";
import { LEASE_MS } from "./lease.ts";
import { alreadyUsed, refuse } from "./payment-refusals.ts";
import type { PaymentService } from "./payment-service.ts";
import { claimOf, clientOf, presenter } from "./presented.ts";
import { type CollectedPayment, resume } from "./resume.ts";
import { optionalSignIn } from "./sign-in.ts";

export type { CollectedPayment };

/**
 * A payment that the ledger knows by its name is resumed; any other is written only with terms that its way to pay has
 * checked.
 * @throws Failure payment_required, payment_pending, payment_already_used, request_in_progress; ReplayedAnswer
 */
export async function collectPayment(
  service: PaymentService,
  checkout: OpenCheckout,
  options: SettleOptions,
): Promise<CollectedPayment> {
  const { given } = checkout;
  if (given === null) return (await collectCredit(service, checkout, options)) ?? refuse(checkout);
  const presented = await given.method.present(service.settlement, given.credential, askingOf(checkout));
  if (typeof presented === "string") return refuse(checkout, presented);
  const { by, name } = presented;
  if (name !== null) {
    const known = await resumePayment(service.db, name, presenter(checkout, by), LEASE_MS);
    if (known.kind !== "unchecked") return resume(service, checkout, known, options);
  }
  const found = await presented.check();
  if ("reason" in found) return refuse(checkout, found.reason, found.retryAfter);
  for (const { checked, sinceBlock, client } of found) {
    const claim = claimOf(checkout, options, { by, sinceBlock, client });
    const outcome = await presentPayment(service.db, checked, claim, name?.identifier ?? null, LEASE_MS);
    if (outcome.kind !== "other") return resume(service, checkout, outcome, options);
  }
  return alreadyUsed();
}

const askingOf = (checkout: OpenCheckout): AskingRequest => {
  const { request, terms, binding } = checkout;
  const { wallet, fingerprint, now } = request;
  return {
    terms: terms!,
    binding,
    wallet,
    fingerprint,
    now,
    signedIn: () => request.signedIn(),
    optionalSignIn: () => optionalSignIn(checkout),
    clientOf: (presented) => clientOf(checkout, presented),
  };
};
