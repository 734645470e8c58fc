/** The 402 of a request, with the option of each way to pay that is offered. */
import { Failure } from "../../core/errors.ts";
import type { RequestBinding } from "../../core/payments/challenges.ts";
import { formatUsdc, type Operation, priceUnits } from "../../core/payments/prices.ts";
import { type Refusal, ruleOf } from "../../core/payments/refusals.ts";
import type { Terms } from "../../core/payments/terms.ts";
import { base64, type SalesParts } from "../../settlement/methods/method.ts";
import { type DeclaredEndpoint, declarationOf } from "./bazaar.ts";
import type { PaymentService } from "./payment-service.ts";

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

type SoldOperation = { endpoint: DeclaredEndpoint; operation: Operation; path: string };

/** The 402 of a request that was not read; null while it costs nothing, or its price cannot be read. */
async function termsOf(service: PaymentService, { endpoint, operation, path }: SoldOperation): Promise<Failure | null> {
  const price = await service.price(operation).catch(() => null);
  if (!price || price.units === 0n) return null;
  const { method } = endpoint;
  const terms = service.termsFor({ operation, method, path, declaration: declarationOf(endpoint, null) }, price);
  return paymentRequired(service.settlement, terms, null);
}

/** @returns handles the failure of a sign-in: adds the terms to `unauthenticated`, and throws in any case */
export const withTerms =
  (service: PaymentService, sold: SoldOperation) =>
  async (error: unknown): Promise<never> => {
    if (!(error instanceof Failure) || error.code !== "unauthenticated") throw error;
    const terms = await termsOf(service, sold);
    if (terms === null) throw error;
    const { headers, extra } = terms.options;
    throw new Failure(error.code, error.message, {
      ...error.options,
      headers,
      extra: { ...extra, ...error.options.extra },
    });
  };

/** Errors that a request without a payment may have and still gets the terms: its client may only want to know them. */
const OF_A_PROBE = new Set([
  "invalid_input",
  "unauthenticated",
  "not_found",
  "unsupported_media_type",
  "payload_too_large",
]);

/**
 * @returns handles the failure of a request without a payment: throws the terms in its place, with the failure as
 *   `problem`, or the failure itself
 */
export const termsInstead =
  (service: PaymentService, sold: SoldOperation) =>
  async (error: unknown): Promise<never> => {
    if (!(error instanceof Failure) || !OF_A_PROBE.has(error.code)) throw error;
    const terms = await termsOf(service, sold);
    if (terms === null) throw error;
    const { details } = error.options;
    const problem = { code: error.code, error: error.message, ...(details && { details }) };
    throw new Failure(terms.code, terms.message, { ...terms.options, extra: { ...terms.options.extra, problem } });
  };

/**
 * `x-payment-info` of an operation: its present price, and the protocols it can be paid by.
 * @returns undefined where it costs nothing, or can be paid by a transfer of one's own only
 */
export function paymentInfoOf(
  { shown, settlement }: Pick<PaymentService, "shown" | "settlement">,
  operation: Operation,
) {
  const units = priceUnits(operation, shown());
  const protocols = settlement.methods.flatMap((method) => method.protocol?.(settlement) ?? []);
  if (units === 0n || protocols.length === 0) return undefined;
  return { price: { mode: "fixed", currency: "USD", amount: formatUsdc(units) }, protocols };
}
