/** The input of a request: parameters of path and query, the body, and the fingerprint that names equal requests. */
import { hash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { z } from "zod";
import { parsedWithoutNulls } from "../core/absent-nulls.ts";
import { Failure, fail } from "../core/errors.ts";
import { quoted } from "../core/quoted.ts";
import { parseStrictJson } from "../core/strict-json.ts";
import { madeOnce } from "../runtime/once.ts";
import { type Endpoint, queryOf } from "./endpoint.ts";
import type { AnswerHeaders } from "./http/headers.ts";
import type { Reply } from "./reply.ts";

const NO_BODY: RequestBody = { bytes: Buffer.alloc(0), value: undefined };

export type RequestInput = {
  params: unknown;
  query: { minBlock?: number } | undefined;
  body: unknown;
  /** The body before its schema; undefined without one. */
  sent: unknown;
  /** The body as received; empty without one. */
  bytes: Buffer;
  /** The query as received, without its question mark. */
  search: string;
};

/** The answer to a body that the endpoint's protocol cannot read. */
export type MalformedBody = { malformed: Reply };

/** A request before it is read. @property url with its query */
type Unread = { incoming: IncomingMessage; head: AnswerHeaders; url: string; params: Record<string, string> };

/**
 * @returns reads path, query and body of a request by the endpoint's schemas; unknown query parameters are named in
 *   `X-Ignored-Params`
 */
export function inputReader(endpoint: Endpoint): (request: Unread) => Promise<RequestInput | MalformedBody> {
  const querySchema = queryOf(endpoint);
  const names = new Set(Object.keys(querySchema?.shape ?? {}));
  const hasBody = endpoint.method !== "get";

  return async ({ incoming, head, url, params: sent }) => {
    const cut = url.indexOf("?");
    const search = cut < 0 ? "" : url.slice(cut + 1);
    const { values, ignored } = readQuery(search, names);
    if (ignored.length > 0) head.setHeader("X-Ignored-Params", ignoredParams(ignored));
    const params = check(endpoint.params, sent, "path", () => nameHint(endpoint.path, sent));
    const query = check(querySchema, values, "query") as { minBlock?: number } | undefined;
    if (endpoint.malformed) return protocolInput(endpoint, incoming, { params, query, search });
    const { bytes, value } = hasBody ? await readBody(incoming) : NO_BODY;
    const body = endpoint.body ? check(endpoint.body, value, "body") : undefined;
    return { params, query, body, sent: value, bytes, search };
  };
}

/** The input of an endpoint that answers a malformed body itself. */
async function protocolInput(
  { body: schema, malformed }: Endpoint,
  incoming: IncomingMessage,
  rest: Pick<RequestInput, "params" | "query" | "search">,
): Promise<RequestInput | MalformedBody> {
  const { bytes, value } = await readBody(incoming, { lenient: true });
  const parsed = schema!.safeParse(value);
  if (!parsed.success) return { malformed: malformed!(value) };
  return { ...rest, body: parsed.data, sent: value, bytes };
}

/** A path of fields without free words: a caller names the keys of some objects. */
const PLAIN_PATH = /^[\w.-]+$/;

/** The next step of whoever has put a name where an agent's id belongs. */
function nameHint(path: string, { ref, id }: Readonly<Record<string, string>>): string | undefined {
  const given = path.startsWith("/api/v2/agent/") && (ref ?? id);
  return given ? `GET /api/v2/search?q=${encodeURIComponent(given)} finds an agent by its name.` : undefined;
}

/** Checks one part of the request. @throws Failure invalid_input naming each problem by its path */
export function check(
  schema: z.ZodType | undefined,
  value: unknown,
  part: string,
  hint?: () => string | undefined,
): unknown {
  if (schema === undefined) return undefined;
  const parsed = parsedWithoutNulls(schema, value, { error: issueText });
  if (parsed.success) return parsed.data;
  const details = issueDetails(parsed.error, part);
  const [first] = details;
  const path = first && (PLAIN_PATH.test(first.path) ? first.path : quoted(first.path));
  return fail("invalid_input", `The request is not valid: ${path} ${first?.message}.`, { details, hint: hint?.() });
}

/** SHA-256 of method, path, query and body, in hex. */
export function fingerprintOf(method: string, path: string, { search, bytes }: RequestInput): string {
  const head = `${method} ${path}?${search}\n`;
  return hash("sha256", Buffer.concat([Buffer.from(head), bytes]), "hex");
}

type Issue = z.core.$ZodRawIssue;

/** Messages of schemas that do not bring their own; given to `safeParse` as its error map. */
function issueText(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      if (issue.input === undefined) return "is required";
      return `must be ${TYPES[issue.expected] ?? `of type ${issue.expected}`}`;
    case "too_big":
      return `must ${bound(issue.origin, issue.inclusive === false ? "less than" : "at most", issue.maximum)}`;
    case "too_small":
      return `must ${bound(issue.origin, issue.inclusive === false ? "more than" : "at least", issue.minimum)}`;
    case "invalid_value":
      return `must be one of ${issue.values.map(String).join(", ")}`;
    case "unrecognized_keys":
      return "is not a known field";
    default:
      return "is not valid";
  }
}

const TYPES: Record<string, string> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  object: "an object",
  array: "a list",
};

function bound(origin: string, relation: string, limit: number | bigint): string {
  if (origin === "string") return `have ${relation} ${limit} character${Number(limit) === 1 ? "" : "s"}`;
  if (origin === "array" || origin === "set") return `have ${relation} ${limit} item${Number(limit) === 1 ? "" : "s"}`;
  return `be ${relation} ${limit}`;
}

/** The `details` of an error body: one line per problem, unknown keys by their own path. */
function issueDetails(error: z.ZodError, root: string): { path: string; message: string }[] {
  return error.issues.slice(0, 20).flatMap((issue) => {
    const path = issue.path.map(String);
    if (issue.code === "unrecognized_keys")
      return issue.keys
        .slice(0, 20)
        .map((key) => ({ path: [...path, key.slice(0, 64)].join("."), message: issue.message }));
    return [{ path: path.join(".") || root, message: issue.message }];
  });
}

type RequestQuery = {
  values: Record<string, string>;
  /** Names that the operation does not know, for X-Ignored-Params. */
  ignored: string[];
};

/**
 * @param search the part after `?`, percent-encoded
 * @param known names of the operation's parameters; the caller adds `minBlock`
 * @throws Failure invalid_input when a known parameter is repeated or is not valid text
 */
function readQuery(search: string, known: ReadonlySet<string>): RequestQuery {
  const values: Record<string, string> = Object.create(null);
  const ignored = new Set<string>();
  for (const pair of search.split("&")) {
    if (pair === "") continue;
    const cut = pair.indexOf("=");
    const written = cut < 0 ? pair : pair.slice(0, cut);
    const name = decode(written);
    if (name === undefined || !known.has(name)) {
      ignored.add(name ?? written);
      continue;
    }
    const value = decode(cut < 0 ? "" : pair.slice(cut + 1));
    if (value === undefined || value.includes("\0"))
      return fail("invalid_input", `The parameter ${name} is not valid text.`, {
        details: [{ path: name, message: "is not valid percent-encoded UTF-8 text" }],
      });
    if (name in values)
      return fail("invalid_input", `The parameter ${name} is given more than once.`, {
        details: [{ path: name, message: "may be given once" }],
      });
    values[name] = value;
  }
  // An empty value is the default. It counts as given until here: a repeated name is refused.
  for (const name of Object.keys(values)) if (values[name] === "") delete values[name];
  return { values, ignored: [...ignored] };
}

/** @returns undefined for what is not percent-encoded UTF-8 */
function decode(part: string): string | undefined {
  try {
    return decodeURIComponent(part.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}

/** The header value of X-Ignored-Params: at most ten names, safe in a header. */
const ignoredParams = (names: string[]): string =>
  names
    .slice(0, 10)
    .map((name) => encodeURIComponent(name.toWellFormed().slice(0, 64).toWellFormed()))
    .join(", ");

/** Largest body accepted, in bytes. */
const MAX_BODY_BYTES = 256 * 1024;

/** Parameters do not change a media type (RFC 9110, section 8.3.1), and JSON is UTF-8 whatever `charset` says (RFC 8259). */
const JSON_TYPE = /^application\/(?:[a-z0-9.-]+\+)?json\s*(?:;.*)?$/i;

/** A body as sent (`bytes`, the base of fingerprints) and as understood; `value` is undefined when there was none. */
type RequestBody = { bytes: Buffer; value: unknown };

/**
 * Reads the whole body. An empty body of any declared type is an absent body;
 * a body without a declared type is taken as JSON.
 * @param options.lenient what is no JSON counts as absent
 * @throws Failure payload_too_large, unsupported_media_type, invalid_input
 */
async function readBody(incoming: IncomingMessage, { lenient = false } = {}): Promise<RequestBody> {
  const encoding = incoming.headers["content-encoding"];
  if (encoding !== undefined && encoding.trim().toLowerCase() !== "identity")
    fail("unsupported_media_type", "Compressed request bodies are not accepted.");
  const bytes = await bodyBytes(incoming);
  if (bytes.length === 0) return { bytes, value: undefined };
  const type = incoming.headers["content-type"];
  if (type !== undefined && !JSON_TYPE.test(type.trim()))
    fail("unsupported_media_type", "The request body must be JSON (Content-Type: application/json).");
  try {
    return { bytes, value: parseStrictJson(bytes) };
  } catch (error) {
    if (!lenient) throw error;
    return { bytes, value: undefined };
  }
}

/**
 * The whole body, read once for all who need it; empty without one. Stops at the first byte above the limit.
 * @throws Failure payload_too_large, invalid_input
 */
export const bodyBytes = madeOnce(async (incoming: IncomingMessage): Promise<Buffer> => {
  if (Number(incoming.headers["content-length"] ?? 0) > MAX_BODY_BYTES) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    // The server discards the rest of a larger one, within bounds, after the answer.
    for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
      size += chunk.length;
      if (size > MAX_BODY_BYTES) break;
      chunks.push(chunk);
    }
  } catch {
    // The client disconnected before or while sending; no client reads the answer.
    fail("invalid_input", "The request body ended early.");
  }
  if (size > MAX_BODY_BYTES) throw tooLarge();
  return Buffer.concat(chunks);
});

const tooLarge = () =>
  new Failure("payload_too_large", `The request body is larger than ${MAX_BODY_BYTES / 1024} KiB.`);
