/** The parameters of an operation: path, query, and the headers that follow from its kind. */
import type { z } from "zod";
import { type Endpoint, queryOf } from "../endpoint.ts";
import { CREDENTIAL_HEADER, PAYMENT_HEADERS } from "../payments/payment-headers.ts";
import { type Json, toSchema } from "./schemas.ts";

const PAYLOADS: Record<string, string> = {
  "PAYMENT-SIGNATURE": "Payment payload of x402 version 2, base64 of JSON, or a transaction's hash",
  "X-PAYMENT": "Payment payload of x402 version 1, base64 of JSON, or a transaction's hash",
  [CREDENTIAL_HEADER]: "Credential of MPP, Payment {base64url}; it may also stand in a list in Authorization",
};

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
  if (endpoint.guard.price) list.push(...PAYMENT_PARAMETERS);
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
const PAYMENT_PARAMETERS: Json[] = [...PAYMENT_HEADERS, CREDENTIAL_HEADER].map((name) => ({
  name,
  in: "header",
  required: false,
  description: PAYLOADS[name] ?? "Hash of the payer's own transfer of exactly the price",
  schema: { type: "string", maxLength: 16_384 },
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
