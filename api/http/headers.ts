/** The headers of every response, collected before routing: as middlewares they would cost five times as much. */
import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { ResponseHead } from "./response-head.ts";

/** The headers of an unfinished answer: Node's response, or a stub without a response. */
export type AnswerHeaders = {
  setHeader(name: string, value: string): unknown;
  getHeader(name: string): number | string | string[] | undefined;
};

export const API_VERSION = "2.0.0";

/**
 * Response headers that scripts in browsers may read: `*` means all to current browsers, the names are for older ones.
 * No answer depends on a cookie, so a script of another origin reads only public answers.
 */
const EXPOSED = [
  "*",
  "PAYMENT-REQUIRED",
  "PAYMENT-RESPONSE",
  "X-PAYMENT-RESPONSE",
  "WWW-Authenticate",
  "Payment-Receipt",
  "ETag",
  "Retry-After",
  "RateLimit",
  "RateLimit-Policy",
  "X-Request-Id",
  "X-API-Version",
  "X-Indexed-Block",
  "X-Index-Stale",
  "X-Ignored-Params",
  "Idempotent-Replayed",
].join(", ");

/**
 * Request headers that scripts in browsers may send. `*` means all but Authorization to current browsers: client
 * libraries add headers of their own, and one that a preflight refuses costs their users the whole request. The names
 * are what known clients send, for older browsers. No header is trusted because only a server could have sent it.
 */
const ALLOWED = [
  "*",
  "Authorization",
  "Payment-Authorization",
  "Accept-Payment",
  "X-SIWA",
  "X-API-Key",
  "Idempotency-Key",
  "PAYMENT-SIGNATURE",
  "X-PAYMENT",
  "X-Payment-Tx",
  "X-Payment-TxHash",
  "X-Payment-Proof",
  "Payment-Identifier",
  // What x402 clients send with a payment, as if it were a request header.
  "Access-Control-Expose-Headers",
  "Content-Type",
  "If-None-Match",
  "Last-Event-ID",
  "MCP-Protocol-Version",
  "Mcp-Session-Id",
  "Mcp-Method",
  "Mcp-Name",
  "A2A-Version",
  "A2A-Extensions",
  "X-A2A-Extensions",
  "X-Request-Id",
].join(", ");

/** By lower-case name. @param publicUrl an https URL adds Strict-Transport-Security, for this host alone */
export function constantHeaders(publicUrl: string): Record<string, string> {
  return {
    "x-api-version": API_VERSION,
    "access-control-allow-origin": "*",
    "access-control-expose-headers": EXPOSED,
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "cross-origin-resource-policy": "cross-origin",
    "referrer-policy": "no-referrer",
    ...(publicUrl.startsWith("https:") && { "strict-transport-security": "max-age=31536000" }),
  };
}

/** The caller's own request id when it is usable, else a new one. */
export function requestIdOf(incoming: IncomingMessage): string {
  const given = incoming.headers["x-request-id"];
  return typeof given === "string" && /^[\w.-]{8,64}$/.test(given) ? given : randomUUID();
}

/** Answers OPTIONS, preflight or not: the methods of the path and, for a preflight, the headers allowed. */
export function answerOptions(incoming: IncomingMessage, head: ResponseHead, allowed: string[]): void {
  const headers: Record<string, string> = { allow: [...allowed, "OPTIONS"].join(", ") };
  if (incoming.headers["access-control-request-method"] !== undefined) {
    headers["access-control-allow-methods"] = "GET, HEAD, POST, PUT, DELETE, OPTIONS";
    headers["access-control-allow-headers"] = ALLOWED;
    headers["access-control-max-age"] = "86400";
  }
  head.send(incoming, { status: 204, headers, body: null });
}

export const CATALOG_PATH = "/.well-known/api-catalog";

const link = (path: string, rel: string, type: string): string => `<${path}>; rel="${rel}"; type="${type}"`;

export const CATALOG_LINKS = {
  /** Of the catalog itself (RFC 9727, section 4.2). */
  type: 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
  /** The header `Link`. */
  header: [
    link(CATALOG_PATH, "api-catalog", "application/linkset+json"),
    link("/openapi.json", "service-desc", "application/vnd.oai.openapi+json;version=3.0"),
    link("/docs", "service-doc", "text/html"),
    link("/llms.txt", "describedby", "text/plain"),
  ].join(", "),
};
