/**
 * The terms of a paid endpoint to those who only ask, and its declaration for the x402 Bazaar: how it is called and what it answers. Crawlers and
 * facilitators list an endpoint by the declaration in its 402. It is derived from the endpoint. Clients send it back
 * with the payment, so it has names and types only.
 * @see https://github.com/x402-foundation/x402/blob/main/specs/extensions/bazaar.md
 */
import { z } from "zod";
import { Failure } from "../core/errors.ts";
import type { Operation } from "../core/payments/prices.ts";
import type { PaidResource } from "../core/payments/terms.ts";
import type { Sales } from "../payments/checkout.ts";
import { paymentRequired } from "../payments/headers.ts";
import { madeOnce } from "../runtime/once.ts";
import type { Endpoint } from "./endpoint.ts";
import { type Json, outlineOf } from "./json-schema.ts";

/** The parts of an endpoint that its declaration follows from. */
type DeclaredEndpoint = Pick<Endpoint, "method" | "path" | "params" | "query" | "body" | "responses">;

/** The part of a declaration that is the same for every request. */
type DeclaredInput = {
  method: string;
  /** `/agent/:ref/cred-report`; null for a path without parameters. */
  routeTemplate: string | null;
  pathParams: Json | null;
  queryParams: Json | null;
  body: { schema: Json; example: unknown } | null;
  output: Json;
};

const declaredOf = madeOnce(({ method, path, params, query, body, responses }: DeclaredEndpoint): DeclaredInput => {
  const outline = (schema: z.ZodType | undefined) => (schema ? outlineOf(schema, "input", 1) : null);
  const success = (responses[200] ?? responses[201])?.schema;
  return {
    method: method.toUpperCase(),
    routeTemplate: path.includes("{") ? path.replaceAll(/\{(\w+)\}/g, ":$1") : null,
    pathParams: params ? textsOf(params) : null,
    queryParams: outline(query),
    body: body ? { schema: outlineOf(body, "input", 1), example: exampleOf(body) } : null,
    output: success ? outlineOf(success, "output", 1) : { type: "object" },
  };
});

/** Path parameters as they are sent: strings. */
const textsOf = ({ shape }: z.ZodObject): Json => ({
  type: "object",
  properties: Object.fromEntries(Object.keys(shape).map((name) => [name, { type: "string" }])),
  required: Object.keys(shape),
});

const exampleOf = (body: z.ZodType): unknown =>
  (z.globalRegistry.get(body)?.examples as unknown[] | undefined)?.[0] ?? {};

/**
 * The declaration of one request.
 * @param params the request's path parameters as they were sent; null where it was not read
 */
export function declarationOf(
  endpoint: DeclaredEndpoint,
  params: Record<string, string> | null,
): PaidResource["declaration"] {
  const { method, routeTemplate, pathParams, queryParams, body, output } = declaredOf(endpoint);
  const sent = pathParams && params ? { pathParams: params } : {};
  const required = ["type", "method", ...(body ? ["bodyType", "body"] : [])];
  return {
    extension: {
      info: {
        input: { type: "http", method, ...sent, ...(body && { bodyType: "json", body: body.example }) },
        output: { type: "json" },
      },
      schema: {
        $schema: "https://json-schema.org/draft/2020-12/schema",
        type: "object",
        properties: {
          input: {
            type: "object",
            properties: {
              type: { const: "http" },
              method: { enum: [method] },
              ...(pathParams && { pathParams }),
              ...(queryParams && { queryParams }),
              ...(body && { bodyType: { enum: ["json"] }, body: body.schema }),
            },
            required,
            additionalProperties: false,
          },
          output: { type: "object", properties: { type: { const: "json" }, example: output }, required: ["type"] },
        },
        required: ["input"],
      },
      ...(routeTemplate && { routeTemplate }),
    },
    outputSchema: {
      input: {
        type: "http",
        method,
        discoverable: true,
        ...(pathParams && { pathParams: pathParams.properties }),
        ...(queryParams && { queryParams: queryParams.properties }),
        ...(body && { bodyType: "json", bodyFields: body.schema.properties }),
      },
      output,
    },
  };
}

type SoldOperation = { endpoint: DeclaredEndpoint; operation: Operation; path: string };

/** The 402 of a request that was not read; null while it costs nothing, or its price cannot be read. */
async function termsOf(service: Sales, { endpoint, operation, path }: SoldOperation): Promise<Failure | null> {
  const price = await service.price(operation).catch(() => null);
  if (!price || price.units === 0n) return null;
  const { method } = endpoint;
  const terms = service.termsFor({ operation, method, path, declaration: declarationOf(endpoint, null) }, price);
  return paymentRequired(service.settlement, terms, null);
}

/** @returns handles the failure of a sign-in: adds the terms to `unauthenticated`, and throws in any case */
export const withTerms =
  (service: Sales, sold: SoldOperation) =>
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
  (service: Sales, sold: SoldOperation) =>
  async (error: unknown): Promise<never> => {
    if (!(error instanceof Failure) || !OF_A_PROBE.has(error.code)) throw error;
    const terms = await termsOf(service, sold);
    if (terms === null) throw error;
    const { details } = error.options;
    const problem = { code: error.code, error: error.message, ...(details && { details }) };
    throw new Failure(terms.code, terms.message, { ...terms.options, extra: { ...terms.options.extra, problem } });
  };
