/** The headers every response carries, set on Node's response before any routing: as middlewares they would cost five times as much. */
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";

/** The headers of an answer that is still being made: Node's response, or a collection of them. */
export type AnswerHeaders = {
  setHeader(name: string, value: string): unknown;
  getHeader(name: string): number | string | string[] | undefined;
};

export const API_VERSION = "2.0.0";

/** Response headers a browser's script may read. */
const EXPOSED = [
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

/** Request headers a browser's script may send. */
const ALLOWED = [
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
  "Content-Type",
  "If-None-Match",
  "Last-Event-ID",
  "MCP-Protocol-Version",
  "X-Request-Id",
].join(", ");

/** @param publicUrl decides whether browsers are told to stay on https */
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

/** Answers OPTIONS, preflight or not: what may be sent, and to this path in particular. */
export function answerOptions(incoming: IncomingMessage, outgoing: ServerResponse, allowed: string[]): void {
  outgoing.setHeader("Allow", [...allowed, "OPTIONS"].join(", "));
  if (incoming.headers["access-control-request-method"] !== undefined) {
    outgoing.setHeader("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, DELETE, OPTIONS");
    outgoing.setHeader("Access-Control-Allow-Headers", ALLOWED);
    outgoing.setHeader("Access-Control-Max-Age", "86400");
  }
  outgoing.writeHead(204).end();
}
