/** The 402 of a request, with the option of each way to pay that is offered. */
import { Failure } from "../../core/errors.ts";
import type { RequestBinding } from "../../core/payments/challenges.ts";
import { formatUsdc } from "../../core/payments/prices.ts";
import { type Refusal, ruleOf } from "../../core/payments/refusals.ts";
import type { Terms } from "../../core/payments/terms.ts";
import type { SalesParts } from "../../settlement/methods/method.ts";
import { base64 } from "../../settlement/methods/payment-response.ts";

/**
 * The 402 of a request.
 * @param binding the request to pay for; null before it was read: then the options have the terms only
 * @param reason the problem of the payment it brought; null when it brought none
 * @param retryAfter seconds, where more is known than what the reason says
 */
export function paymentRequired(
  parts: SalesParts,
  terms: Terms,
  binding: RequestBinding | null,
  reason: Refusal | null = null,
  retryAfter?: number,
): Failure {
  const price = formatUsdc(terms.amountUnits);
  const rule = reason && ruleOf(reason);
  const asked = { terms, error: reason ?? "payment_required", binding };
  const made = parts.methods.flatMap((method) => method.option(parts, asked) ?? []);
  return new Failure("payment_required", rule?.says ?? `This operation costs ${price} USDC.`, {
    headers: {
      ...Object.assign({}, ...made.map(({ headers }) => headers)),
      ...(reason && { "payment-response": base64(failedResponse(terms, reason)) }),
    },
    extra: {
      ...Object.assign({}, ...made.map(({ body }) => body)),
      ...terms.resource.otherwise,
      ...(reason && { reason }),
      price,
      currency: "USDC",
    },
    ...(rule && { hint: rule.hint, retryAfter: retryAfter ?? rule.retryAfter }),
  });
}

const failedResponse = ({ domain }: Terms, errorReason: string) => ({
  success: false,
  errorReason,
  transaction: "",
  network: `eip155:${domain.chainId}`,
});
