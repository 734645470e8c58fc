/** The response headers of the OpenAPI document. */
import type { Json } from "./schemas.ts";

const header = (description: string, schema: Json) => ({ description, schema });
export const HEADERS = {
  RequestId: header("Names this request in our log", { type: "string" }),
  ApiVersion: header("Version of the API", { type: "string" }),
  IndexedBlock: header("The answer is of this block or a later one", { type: "integer" }),
  IndexStale: header("Present while the index is being rebuilt: why", { type: "string" }),
  IgnoredParams: header("Query parameters this operation does not know", { type: "string" }),
  ETag: header("Strong validator; send it back in If-None-Match", { type: "string" }),
  RateLimit: header("What is left of each limit (r), and the seconds until it is whole again (t)", { type: "string" }),
  RateLimitPolicy: header(
    "The limits: requests (q) at once, and as many again spread over the seconds of a window (w)",
    { type: "string" },
  ),
  RetryAfter: header("Seconds to wait", { type: "integer" }),
  PaymentRequired: header("The terms for x402 version 2, base64 of JSON; version 1 is in the body", { type: "string" }),
  Challenge: header("The challenge of MPP, where it is offered: answer it in Payment-Authorization", {
    type: "string",
  }),
  PaymentReceipt: header("Where a payment by MPP went, base64url of JSON", { type: "string" }),
  PaymentResponse: header("Where the payment went, base64 of JSON; X-PAYMENT-RESPONSE says it in version 1", {
    type: "string",
  }),
  Replayed: header("true when this is the stored answer to the same Idempotency-Key", { type: "string" }),
};
/** A reference to a header of the components. */
export const headerRef = (name: keyof typeof HEADERS) => ({ $ref: `#/components/headers/${name}` });
