/** The terms of a paid endpoint in its refusal of callers without a credential: crawlers look for them without one. */
import { Failure } from "../../core/errors.ts";
import type { Operation } from "../../core/prices.ts";
import { type DeclaredEndpoint, declarationOf } from "./bazaar.ts";
import { paymentRequired } from "./offers.ts";
import type { PaymentService } from "./payment-service.ts";

/** @returns handles the failure of a sign-in: adds the terms to `unauthenticated`, and throws in any case */
export const withTerms =
  (service: PaymentService, sold: { endpoint: DeclaredEndpoint; operation: Operation; path: string }) =>
  async (error: unknown): Promise<never> => {
    if (!(error instanceof Failure) || error.code !== "unauthenticated") throw error;
    const { endpoint, operation, path } = sold;
    const price = await service.price(operation).catch(() => null);
    if (!price || price.units === 0n) throw error;
    const terms = service.termsFor({ operation, path, declaration: declarationOf(endpoint, null) }, price);
    const { headers, extra } = paymentRequired(service.offers, terms, null).options;
    throw new Failure(error.code, error.message, {
      ...error.options,
      headers,
      extra: { ...extra, ...error.options.extra },
    });
  };
