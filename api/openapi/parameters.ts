/** The parameters of an operation: path, query, and the headers that follow from its kind. */
import type { z } from "zod";
import type { PaymentMethod } from "../../settlement/methods/method.ts";
import { PAYMENT_METHODS } from "../../settlement/methods.ts";
import { type Endpoint, queryOf } from "../endpoint.ts";
import { credentialHeaders, MAX_HEADER_CHARS, valueHeaders } from "../payments/payment-headers.ts";
import { type Json, toSchema } from "./schemas.ts";

export function parameters(endpoint: Endpoint, schemas: Json): Json[] {
  const list = [...split(endpoint.params, "path", schemas), ...split(queryOf(endpoint), "query", schemas)];
  if (endpoint.method !== "get")
    list.push({
      name: "Idempotency-Key",
      in: "header",
      required: false,
      description: "Same key and same request: the stored answer, for 24 hours",
      schema: { type: "string", minLength: 1, maxLength: 255 },
    });
  if (endpoint.guard.price) list.push(...paymentParameters(PAYMENT_METHODS));
  if (endpoint.stream)
    list.push({
      name: "Last-Event-ID",
      in: "header",
      required: false,
      description: "Id of the last event seen: the stream goes on after it. Clients send it by themselves",
      schema: { type: "string", maxLength: 64 },
    });
  return list;
}

/** The headers that may carry a payment; one of them, once. */
export const paymentParameters = (methods: readonly PaymentMethod[]): Json[] =>
  [...valueHeaders(methods), ...credentialHeaders(methods)].map(({ name, description }) => ({
    name,
    in: "header",
    required: false,
    description,
    schema: { type: "string", maxLength: MAX_HEADER_CHARS },
  }));

/** The properties of an object schema as parameters. */
function split(schema: z.ZodObject | undefined, where: "path" | "query", schemas: Json): Json[] {
  if (schema === undefined) return [];
  const object = toSchema(schema, "input", schemas) as { properties?: Record<string, Json>; required?: string[] };
  return Object.entries(object.properties ?? {}).map(([name, { description, example, ...rest }]) => ({
    name,
    in: where,
    required: where === "path" || (object.required ?? []).includes(name),
    ...(description !== undefined && { description }),
    ...(example !== undefined && { example }),
    schema: rest,
  }));
}
