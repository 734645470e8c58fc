/** The terms of a paid endpoint in the refusal of a request that is not valid yet: crawlers look for them without a credential or a body. */
import { Failure } from "../../core/errors.ts";
import type { Operation } from "../../core/payments/prices.ts";
import { type DeclaredEndpoint, declarationOf } from "./bazaar.ts";
import { paymentRequired } from "./payment-options.ts";
import type { PaymentService } from "./payment-service.ts";

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
