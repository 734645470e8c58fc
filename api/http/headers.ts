/** The headers of every response, set on Node's response before routing: as middlewares they would cost five times as much. */
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";

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

/** @param publicUrl an https URL adds Strict-Transport-Security */
export function constantHeaders(publicUrl: string): [string, string][] {
  return [
    ["X-API-Version", API_VERSION],
    ["Access-Control-Allow-Origin", "*"],
    ["Access-Control-Expose-Headers", EXPOSED],
    ["X-Content-Type-Options", "nosniff"],
    ["Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"],
    ["Cross-Origin-Resource-Policy", "cross-origin"],
    ["Referrer-Policy", "no-referrer"],
    ...(publicUrl.startsWith("https:")
      ? ([["Strict-Transport-Security", "max-age=31536000; includeSubDomains"]] as [string, string][])
      : []),
  ];
}

/** The caller's own request id when it is usable, else a new one. */
export function requestIdOf(incoming: IncomingMessage): string {
  const given = incoming.headers["x-request-id"];
  return typeof given === "string" && /^[\w.-]{8,64}$/.test(given) ? given : randomUUID();
}

/** Answers OPTIONS, preflight or not: the methods of the path and, for a preflight, the headers allowed. */
export function answerOptions(incoming: IncomingMessage, outgoing: ServerResponse, allowed: string[]): void {
  outgoing.setHeader("Allow", [...allowed, "OPTIONS"].join(", "));
  if (incoming.headers["access-control-request-method"] !== undefined) {
    outgoing.setHeader("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, DELETE, OPTIONS");
    outgoing.setHeader("Access-Control-Allow-Headers", ALLOWED);
    outgoing.setHeader("Access-Control-Max-Age", "86400");
  }
  outgoing.writeHead(204).end();
}
