/** The input of a request: parameters of path and query, the body, and the fingerprint that names equal requests. */
import { hash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { z } from "zod";
import { parsedWithoutNulls } from "../core/absent-nulls.ts";
import { fail } from "../core/errors.ts";
import { quoted } from "../core/quoted.ts";
import { type Endpoint, queryOf } from "./endpoint.ts";
import type { AnswerHeaders } from "./http/headers.ts";
import { issueDetails, issueText } from "./http/issue-text.ts";
import { type RequestBody, readBody } from "./http/request-body.ts";
import { ignoredParams, readQuery } from "./http/request-query.ts";
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
  const known = new Set(Object.keys(querySchema?.shape ?? {}));
  const hasBody = endpoint.method !== "get";

  return async ({ incoming, head, url, params: sent }) => {
    const cut = url.indexOf("?");
    const search = cut < 0 ? "" : url.slice(cut + 1);
    const { values, ignored } = readQuery(search, known);
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
