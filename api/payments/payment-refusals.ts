/** Refusals that several ways to pay share. */
import { fail } from "../../core/errors.ts";
import type { Refusal } from "../../core/payments/refusals.ts";
import type { OpenCheckout } from "./checkout.ts";

/**
 * @throws Failure payment_required
 * @param reason what is wrong with the payment; null without a payment @param retryAfter seconds, where they are known
 */
export function refuse(
  checkout: Pick<OpenCheckout, "refusal">,
  reason: Refusal | null = null,
  retryAfter?: number,
): never {
  throw checkout.refusal(reason, retryAfter);
}

/** @throws Failure payment_already_used */
export function alreadyUsed(): never {
  return fail("payment_already_used", "This payment has been used for another request. Nothing was charged.", {
    hint: "Ask again without it and pay anew.",
  });
}

/** @throws Failure request_in_progress. @param retryAfter seconds */
export function inProgress(retryAfter: number): never {
  return fail("request_in_progress", "A request with this payment, or for the same thing, is being worked on.", {
    hint: "Repeat the request with the same payment.",
    retryAfter,
  });
}
