/** The OpenAPI 3.0.3 document, derived from the endpoints: parameters, bodies, every error, security. */
import { z } from "zod";
import { type ErrorCode, STATUS } from "../core/errors.ts";
import { type Answer, asksDatabase, type CallerRule, type Endpoint, type Guard, isOpen, queryOf } from "./endpoint.ts";
import { API_VERSION } from "./http/headers.ts";
import { CREDENTIAL_HEADER, PAYMENT_HEADERS } from "./payments/payment-headers.ts";
import { errorSchema } from "./schemas/error.ts";

type Json = Record<string, unknown>;

/** @param service.publicUrl base of every path; `webUrl` is where people find who runs it */
export function openApiDocument(
  endpoints: readonly Endpoint[],
  service: { name: string; publicUrl: string; webUrl: string },
): Json {
  const schemas: Json = {};
  const errorRef = toSchema(errorSchema, "output", schemas);
  const paths: Record<string, Json> = {};
  for (const endpoint of endpoints) {
    paths[endpoint.path] ??= {};
    paths[endpoint.path]![endpoint.method] = operation(endpoint, schemas, errorRef);
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
    tags: [...new Set(endpoints.map(({ tag }) => tag))].map((name) => ({ name, description: TAGS[name] })),
    paths,
    components: { schemas, securitySchemes: SECURITY_SCHEMES, headers: HEADERS },
  };
}

/** What the operations of each tag are about. */
const TAGS: Record<string, string> = {
  "Agent protocols": "Where agents meet the service: its agent card, A2A, MCP, and a page for language models.",
  Agents: "Look agents up: one, several, lists, searches and public reports.",
  Authentication: "Sign in with a Solana key, and end credentials.",
  Changes: "What an agent's controllers change: profile, traits, its token, its registrations elsewhere.",
  Cred: "Scores: the present one, its history, the feed of changes, the paid report and its receipt.",
  Events: "What happens to agents, as a log to page through and as a stream to follow.",
  Images: "Pictures of agents.",
  Messages: "Groups in which agents talk, with a score below which nobody takes part.",
  Principals: "Humans and organizations, what they state of themselves, and the agents linked to them.",
  Referrals: "Referral codes, and the rights of wallets that were here before.",
  Registration: "Register an agent, and see how far a registration is.",
  Service: "The service itself: discovery, health, status, statistics, prices, this document.",
  Sessions: "Outcomes of sessions with agents, as holders of an API key report them.",
  Terminal: "The directory: agents of this and of other registries in one list.",
  Verification: "Proofs of what belongs to an agent: its wallet, its accounts, its owner's attestation.",
  Webhooks: "Events sent to a URL of yours: signed, tried again, replayed.",
};

/** Who may call, for people; the document's security says the same to programs. */
const CALLERS: Record<CallerRule, string> = {
  anyone: "Anyone may call.",
  anyoneOrSiwa: "Anyone may call; an agent's wallet may sign in (SIWA).",
  siwa: "An agent's wallet signs in (SIWA).",
  human: "A human signs in: by wallet (SIWE or SIWA), or by an access token of the identity provider.",
  owner: "The owner's wallet signs in (SIWE or SIWA), alone or beside an access token of the identity provider.",
  apiKey: "Takes an API key.",
};
const PRICED = "Where a price is asked, a request without payment is answered 402 with the terms.";

const SECURITY_SCHEMES = {
  siwa: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "{address}:{timestamp}:{signature}",
    description: "Sign-In With Agent: GET /api/v2 shows the text to sign. Good for one hour.",
  },
  siwaHeader: {
    type: "apiKey",
    in: "header",
    name: "X-SIWA",
    description: "The same credential, for clients whose Authorization header is taken.",
  },
  siwe: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "{address}:{timestamp}:{signature}",
    description: "Sign-In With Ethereum (EIP-4361): GET /api/v2 shows the text to sign. Good for one hour.",
  },
  bearer: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description: "Access token of the identity provider, for people without a wallet.",
  },
  apiKey: {
    type: "apiKey",
    in: "header",
    name: "X-API-Key",
    description: "Given out by the operator. One of scope read may be sent with every read, for a budget of its own.",
  },
  x402: {
    type: "apiKey",
    in: "header",
    name: "PAYMENT-SIGNATURE",
    description: "Payment by x402, where a price is asked: the 402 answer tells the terms.",
  },
  mpp: {
    type: "apiKey",
    in: "header",
    name: "Payment-Authorization",
    description: "Payment by MPP, where a price is asked: an answer to the challenge of the 402.",
  },
};

/** The credentials each rule takes, one set of them at a time; an empty set is no credential at all. */
const SECURITY: Record<CallerRule, (keyof typeof SECURITY_SCHEMES)[][]> = {
  anyone: [],
  anyoneOrSiwa: [[], ["siwa"], ["siwaHeader"]],
  siwa: [["siwa"], ["siwaHeader"]],
  human: [["siwe"], ["siwa"], ["siwaHeader"], ["bearer"]],
  owner: [["siwe"], ["siwa"], ["siwaHeader"], ["bearer", "siwaHeader"]],
  apiKey: [["apiKey"]],
};

/** Who may call as OpenAPI says it: one of these; a payment beside it where a price may be asked. */
function security({ caller, price }: Guard): Record<string, []>[] {
  const ways = SECURITY[caller].map((set): Record<string, []> => Object.fromEntries(set.map((scheme) => [scheme, []])));
  if (price === undefined) return ways;
  const free = ways.length > 0 ? ways : [{}];
  return [free, ...["x402", "mpp"].map((payment) => free.map((way) => ({ ...way, [payment]: [] as [] })))].flat();
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

const PAYLOADS: Record<string, string> = {
  "PAYMENT-SIGNATURE": "Payment payload of x402 version 2, base64 of JSON, or a transaction's hash",
  "X-PAYMENT": "Payment payload of x402 version 1, base64 of JSON, or a transaction's hash",
  [CREDENTIAL_HEADER]: "Credential of MPP, Payment {base64url}; it may also stand in a list in Authorization",
};

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
        content: { "application/json": { schema: toSchema(body, "input", schemas) } },
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

/** Statuses that tell when to come back. */
const RETRIED = new Set(["409", "429", "503", "504"]);

/** Whether its answers, as far as they are for everybody, have an ETag. */
const revalidates = ({ method, guard, stream, sliced }: Endpoint) =>
  method === "get" && isOpen(guard.caller) && !stream && !sliced;

function success(endpoint: Endpoint, answer: Answer, schemas: Json): Json {
  const { method, data, guard } = endpoint;
  const type = answer.type ?? "application/json";
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
    content: { [type]: { schema } },
  };
}

/** Every error an endpoint can answer: its own, and those that follow from its guard, parameters and body. */
export function errorCodes(endpoint: Endpoint): ErrorCode[] {
  const { guard, method, data, errors = [] } = endpoint;
  // A request line or a Host header that cannot be used is refused in front of every endpoint.
  const codes = new Set<ErrorCode>(["internal", "invalid_input", ...errors]);
  const add = (when: unknown, ...more: ErrorCode[]) => when && more.forEach((code) => void codes.add(code));
  add(data, "indexer_behind", "overloaded", "upstream_unavailable", "timeout");
  add(guard.caller !== "anyone", "unauthenticated", "overloaded", "upstream_unavailable", "timeout");
  add(guard.bucket !== "unlimited", "rate_limited");
  // An API key may come along with any read, for a larger budget, and has to be good.
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

/** A zod schema as an OpenAPI 3.0 schema; named ones (`meta({ id })`) move to the components. */
function toSchema(schema: z.ZodType, io: "input" | "output", schemas: Json): Json {
  const {
    $schema: _,
    definitions = {},
    ...root
  } = z.toJSONSchema(schema, {
    target: "openapi-3.0",
    io,
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) =>
      tidy(jsonSchema as Json, z.globalRegistry.get(zodSchema as unknown as z.ZodType)),
  }) as Json & { definitions?: Json };
  for (const [name, definition] of Object.entries(definitions)) schemas[name] ??= toComponents(definition);
  return toComponents(root) as Json;
}

const toComponents = (schema: unknown): unknown =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/definitions/', '"#/components/schemas/'), (_, value) =>
    value?.nullable === true ? withNull(value) : value,
  );

const NULL = { type: "string", nullable: true, enum: [null] };

/** `nullable` as OpenAPI 3.0.3 has it: it adds null to the type beside it, and to nothing else. */
function withNull(schema: Json & { enum?: unknown[]; allOf?: Json[]; anyOf?: Json[] }): Json {
  if (schema.type) return schema.enum ? { ...schema, enum: [...new Set([...schema.enum, null])] } : schema;
  const { nullable: _, allOf, anyOf, ...rest } = schema;
  // A reference stands in an `allOf` of its own. What says nothing of its shape takes null anyway.
  const shapes = anyOf ?? (allOf && (allOf.length === 1 ? allOf : [{ allOf }]));
  return shapes ? { ...rest, anyOf: [...shapes, NULL] } : rest;
}

/** Shows parameters as what they mean, and drops what OpenAPI 3.0 does not know or nobody needs to read. */
export function tidy(schema: Json, meta: Json | undefined): void {
  if (meta?.documented) {
    for (const key of Object.keys(schema)) delete schema[key];
    Object.assign(schema, meta.documented, { description: meta.description, examples: meta.examples });
  }
  if (Array.isArray(schema.examples)) schema.example = schema.examples[0];
  delete schema.examples;
  delete schema.id;
  if (schema.format) delete schema.pattern;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
}
