/** The OpenAPI 3.0.3 document, derived from the endpoints: parameters, bodies, every error, security. */
import type { z } from "zod";
import type { OpenApi } from "../../core/described-operations.ts";
import { type ErrorCode, STATUS } from "../../core/error-codes.ts";
import { type Operation, shownPricing } from "../../core/payments/prices.ts";
import { credentialHeaders, MAX_HEADER_CHARS, paymentInfoOf, valueHeaders } from "../../payments/headers.ts";
import type { PaymentMethod } from "../../payments/methods/method.ts";
import { PAYMENT_METHODS } from "../../payments/methods.ts";
import { isOpen } from "../caller-types.ts";
import { asksDatabase, type Endpoint, queryOf } from "../endpoint.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import { API_VERSION } from "../http/headers.ts";
import { type Json, toOpenApiSchema } from "../json-schema.ts";
import type { Answer } from "../reply.ts";
import { errorSchema } from "../schemas/service.ts";
import { CALLERS, PRICED, SECURITY_SCHEMES, security } from "./security.ts";

/** What clients that look for paid operations read of one; undefined where it costs nothing. */
export type PaymentInfoOf = (operation: Operation) => Json | undefined;

/**
 * @param service.publicUrl base of every path; `webUrl` is the contact page of the operator
 * @param paymentInfo absent: prices are left out
 */
export function openApiDocument(
  endpoints: readonly Endpoint[],
  service: { name: string; publicUrl: string; webUrl: string },
  paymentInfo: PaymentInfoOf = () => undefined,
): Json {
  const schemas: Json = {};
  const errorRef = toOpenApiSchema(errorSchema, "output", schemas);
  const paths: Record<string, Json> = {};
  for (const endpoint of endpoints) {
    paths[endpoint.path] ??= {};
    paths[endpoint.path]![endpoint.method] = {
      ...operation(endpoint, schemas, errorRef),
      ...(endpoint.aliasOf !== undefined && { "x-alias-of": endpoint.aliasOf, deprecated: endpoint.deprecated }),
      ...paidBy(endpoint, paymentInfo),
    };
  }
  return {
    openapi: "3.0.3",
    info: {
      title: `${service.name} API`,
      version: API_VERSION,
      description: "Identity and reputation of AI agents on Base.",
      contact: { name: service.name, url: service.webUrl },
      license: { name: "MIT", url: "https://opensource.org/license/mit" },
    },
    servers: [{ url: service.publicUrl }],
    tags: Object.entries(TAGS)
      .filter(([name]) => endpoints.some(({ tag }) => tag === name))
      .map(([name, description]) => ({ name, description })),
    paths,
    components: { schemas, securitySchemes: SECURITY_SCHEMES, headers: HEADERS },
  };
}

/** A sentence for each tag, in the order in which the reference shows them. */
const TAGS: Record<string, string> = {
  Agents: "Look agents up: one, several, lists, searches and public reports.",
  Discovery: "Find agents by what they can do, ranked by relevance and by what is known about them.",
  Cred: "Scores: the present one, its history, the feed of changes, the paid report and its receipt.",
  Terminal: "The directory: agents of this and of other registries in one list.",
  Registration: "Register an agent, and see how far a registration is.",
  Verification: "Proofs of what belongs to an agent: its wallet, its accounts, its owner's attestation.",
  Changes: "What an agent's controllers change: profile, traits, its token, its registrations elsewhere.",
  Authentication: "Sign in with a Solana key, and end credentials.",
  Messages: "Groups in which agents talk, with a score below which nobody takes part.",
  Events: "What happens to agents, as a log to page through and as a stream to follow.",
  Webhooks: "Events sent to a URL of yours: signed, tried again, replayed.",
  Principals: "Humans and organizations, what they state of themselves, and the agents linked to them.",
  Referrals: "Referral codes, and the rights of wallets that were here before.",
  "Agent protocols": "Where agents meet the service: its agent card, A2A, MCP, and a page for language models.",
  Images: "Pictures of agents.",
  Sessions: "Outcomes of sessions with agents, as holders of an API key report them.",
  Index: "GraphQL and SQL over the index, for API keys of scope index:read.",
  Snapshots: "All that is public as files, once a day: signed, and checked without this service.",
  Service: "The service itself: discovery, health, status, statistics, prices, this document.",
};

/** @see https://github.com/Merit-Systems/x402scan */
function paidBy({ guard: { price } }: Endpoint, paymentInfo: PaymentInfoOf): Json {
  const info = price && paymentInfo(price);
  return info ? { "x-payment-info": info } : {};
}

function operation(endpoint: Endpoint, schemas: Json, errorRef: Json): Json {
  const { operationId, tag, summary, description, guard, body } = endpoint;
  return {
    operationId,
    tags: [tag],
    summary,
    description: [description, CALLERS[guard.caller], guard.price && PRICED].filter(Boolean).join("\n\n"),
    security: security(guard),
    parameters: parameters(endpoint, schemas),
    ...(body && {
      requestBody: {
        required: !body.safeParse(undefined).success,
        content: { "application/json": { schema: toOpenApiSchema(body, "input", schemas) } },
      },
    }),
    responses: responses(endpoint, schemas, errorRef),
  };
}

function parameters(endpoint: Endpoint, schemas: Json): Json[] {
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
  const object = toOpenApiSchema(schema, "input", schemas) as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(object.properties ?? {}).map(([name, { description, example, ...rest }]) => ({
    name,
    in: where,
    required: where === "path" || (object.required ?? []).includes(name),
    ...(description !== undefined && { description }),
    ...(example !== undefined && { example }),
    schema: rest,
  }));
}

const header = (description: string, schema: Json) => ({ description, schema });
const HEADERS = {
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
const headerRef = (name: keyof typeof HEADERS) => ({ $ref: `#/components/headers/${name}` });

/**
 * The `responses` object of an operation.
 * @param schemas components that the responses refer to; the function adds what is missing
 * @param errorRef reference to the error body
 */
function responses(endpoint: Endpoint, schemas: Json, errorRef: Json): Json {
  const own = Object.entries(endpoint.responses).map(([status, answer]) => [
    status,
    success(endpoint, answer, schemas),
  ]);
  const all: Json = Object.fromEntries(own);
  if (revalidates(endpoint))
    all["304"] = { description: "The client's representation is current", headers: { ETag: headerRef("ETag") } };
  for (const [status, codes] of byStatus(errorCodes(endpoint))) {
    const other = endpoint.responses[Number(status)]?.schema;
    const schema = other ? { anyOf: [toOpenApiSchema(other, "output", schemas), errorRef] } : errorRef;
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
  const schema = answer.schema ? toOpenApiSchema(answer.schema, "output", schemas) : { type: "string" };
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

type Priced = { of: string; document: OpenApi; content: string };
const written = new WeakMap<readonly Endpoint[], Priced>();

/** @returns the document, and the same as JSON */
export function pricedDocument(
  endpoints: readonly Endpoint[],
  { config, payments }: Pick<HandlerDeps, "config" | "payments">,
): Priced {
  const of = JSON.stringify([config.service.publicUrl, shownPricing(payments.shown())]);
  const text = written.get(endpoints);
  if (text?.of === of) return text;
  const paymentInfo = (operation: Operation) => paymentInfoOf(payments, operation);
  const content = JSON.stringify(openApiDocument(endpoints, config.service, paymentInfo));
  const priced = { of, content, document: JSON.parse(content) as OpenApi };
  written.set(endpoints, priced);
  return priced;
}
