/** The responses of an operation: its successes, 304, and every error it can answer. */
import { type ErrorCode, STATUS } from "../../core/error-codes.ts";
import { isOpen } from "../caller-types.ts";
import { asksDatabase, type Endpoint } from "../endpoint.ts";
import type { Answer } from "../reply.ts";
import { headerRef } from "./headers.ts";
import { type Json, toSchema } from "./schemas.ts";

/**
 * The `responses` object of an operation.
 * @param schemas components that the responses refer to; the function adds what is missing
 * @param errorRef reference to the error body
 */
export function responses(endpoint: Endpoint, schemas: Json, errorRef: Json): Json {
  const own = Object.entries(endpoint.responses).map(([status, answer]) => [
    status,
    success(endpoint, answer, schemas),
  ]);
  const all: Json = Object.fromEntries(own);
  if (revalidates(endpoint))
    all["304"] = { description: "The client's representation is current", headers: { ETag: headerRef("ETag") } };
  for (const [status, codes] of byStatus(errorCodes(endpoint))) {
    const other = endpoint.responses[Number(status)]?.schema;
    const schema = other ? { anyOf: [toSchema(other, "output", schemas), errorRef] } : errorRef;
    all[status] = {
      description: [endpoint.responses[Number(status)]?.description, `Error: ${codes.join(", ")}`]
        .filter(Boolean)
        .join(". "),
      headers: {
        "X-Request-Id": headerRef("RequestId"),
        ...(RETRIED.has(status) && { "Retry-After": headerRef("RetryAfter") }),
        ...(status === "402" && {
          "PAYMENT-REQUIRED": headerRef("PaymentRequired"),
          "WWW-Authenticate": headerRef("Challenge"),
        }),
      },
      content: { "application/json": { schema } },
    };
  }
  return all;
}

/** Statuses with a Retry-After header. */
const RETRIED = new Set(["409", "429", "503", "504"]);

/** Whether a client can revalidate its answer with an ETag: public, and sent as a whole. */
const revalidates = ({ method, guard, stream, sliced }: Endpoint) =>
  method === "get" && isOpen(guard.caller) && !stream && !sliced;

function success(endpoint: Endpoint, answer: Answer, schemas: Json): Json {
  const { method, data, guard } = endpoint;
  const types = [answer.type ?? "application/json"].flat();
  const schema = answer.schema ? toSchema(answer.schema, "output", schemas) : { type: "string" };
  return {
    description: answer.description,
    headers: {
      "X-Request-Id": headerRef("RequestId"),
      "X-API-Version": headerRef("ApiVersion"),
      ...(guard.bucket !== "unlimited" && {
        RateLimit: headerRef("RateLimit"),
        "RateLimit-Policy": headerRef("RateLimitPolicy"),
      }),
      ...(data && { "X-Indexed-Block": headerRef("IndexedBlock"), "X-Index-Stale": headerRef("IndexStale") }),
      ...(method === "get" && { "X-Ignored-Params": headerRef("IgnoredParams") }),
      ...(revalidates(endpoint) && { ETag: headerRef("ETag") }),
      ...(method !== "get" && { "Idempotent-Replayed": headerRef("Replayed") }),
      ...(guard.price && {
        "PAYMENT-RESPONSE": headerRef("PaymentResponse"),
        "Payment-Receipt": headerRef("PaymentReceipt"),
      }),
    },
    content: Object.fromEntries(types.map((type) => [type, { schema }])),
  };
}

/** Every error an endpoint can answer: its own, and those that follow from its guard, parameters and body. */
function errorCodes(endpoint: Endpoint): ErrorCode[] {
  const { guard, method, data, errors = [] } = endpoint;
  // A bad request line or Host header is refused in front of every endpoint.
  const codes = new Set<ErrorCode>(["internal", "invalid_input", ...errors]);
  const add = (when: unknown, ...more: ErrorCode[]) => when && more.forEach((code) => void codes.add(code));
  add(data, "indexer_behind", "overloaded", "upstream_unavailable", "timeout");
  add(guard.caller !== "anyone", "unauthenticated", "overloaded", "upstream_unavailable", "timeout");
  add(guard.bucket !== "unlimited", "rate_limited");
  // Any read may carry an API key, for a larger budget; the key must be valid.
  add(guard.bucket === "reads", "unauthenticated");
  add(asksDatabase(endpoint), "overloaded", "upstream_unavailable", "timeout");
  add(guard.price, "payment_required", "payment_pending", "payment_already_used", "request_in_progress");
  add(guard.price, "unauthenticated", "upstream_unavailable", "timeout");
  add(method !== "get", "payload_too_large", "unsupported_media_type");
  add(method !== "get", "idempotency_key_reused", "request_in_progress", "upstream_unavailable", "timeout");
  return [...codes];
}

function byStatus(codes: ErrorCode[]): [string, ErrorCode[]][] {
  const groups = Map.groupBy(codes.toSorted(), (code) => String(STATUS[code]));
  return [...groups].toSorted(([a], [b]) => Number(a) - Number(b));
}
