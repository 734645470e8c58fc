/** The OpenAPI document as it is served: with the prices of now, written once for as long as they stay. */
import type { OpenApi } from "../../core/described-operations.ts";
import { type Operation, shownPricing } from "../../core/payments/prices.ts";
import type { Endpoint } from "../endpoint.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import { paymentInfoOf } from "../payments/payment-options.ts";
import { openApiDocument } from "./document.ts";

type Priced = { of: string; document: OpenApi; content: string };
const written = new WeakMap<readonly Endpoint[], Priced>();

/** @returns the document, and the same as JSON */
export function pricedDocument(
  endpoints: readonly Endpoint[],
  { config, payments }: Pick<HandlerDeps, "config" | "payments">,
): Priced {
  const of = JSON.stringify([config.service.publicUrl, shownPricing(payments.shown())]);
  const known = written.get(endpoints);
  if (known?.of === of) return known;
  const paymentInfo = (operation: Operation) => paymentInfoOf(payments, operation);
  const content = JSON.stringify(openApiDocument(endpoints, config.service, paymentInfo));
  const priced = { of, content, document: JSON.parse(content) as OpenApi };
  written.set(endpoints, priced);
  return priced;
}
