/** One request and its answer over undici: limits of time and size, and the answer's JSON. */
import type { Dispatcher } from "undici";
import type { AnswerHeaders } from "./retry-after.ts";

export type Limits = {
  /** Max ms until the first byte of the answer's head. */
  headersMs: number;
  /** Max ms between two chunks of the body. */
  bodyMs: number;
  /** Max ms for the whole exchange, including the connection. */
  totalMs: number;
  maxBytes: number;
};

export type Outgoing = {
  method: "GET" | "POST";
  url: URL;
  headers: Record<string, string>;
  /** The serialised body. */
  body?: string;
  /** Discards the body of the answer; `text` is then empty. */
  headOnly?: boolean;
  /** Ends the exchange early. */
  signal?: AbortSignal;
};

/** An answer. Header names are lower-case; of a repeated header the first value is taken. */
export type Incoming = { status: number; headers: AnswerHeaders; text: string };

/** Thrown when an answer exceeds the size limit. It is not an outage: data on one subject may be too large. */
export class OversizeAnswer extends Error {}

/**
 * Sends a request and reads its whole answer. Redirects are answers like any other.
 * @throws OversizeAnswer; undici's errors when there is no answer within the limits
 */
export async function exchange(dispatcher: Dispatcher, request: Outgoing, limits: Limits): Promise<Incoming> {
  const { statusCode, headers, body } = await dispatcher.request({
    origin: request.url.origin,
    path: request.url.pathname + request.url.search,
    method: request.method,
    headers: request.headers,
    body: request.body ?? null,
    headersTimeout: limits.headersMs,
    bodyTimeout: limits.bodyMs,
    signal: request.signal
      ? AbortSignal.any([request.signal, AbortSignal.timeout(limits.totalMs)])
      : AbortSignal.timeout(limits.totalMs),
  });
  if (request.headOnly) {
    // A short body is read, so that the connection can be reused; otherwise the connection is closed.
    await body.dump({ limit: limits.maxBytes, signal: AbortSignal.timeout(limits.bodyMs) }).catch(() => {});
    return { status: statusCode, headers: single(headers), text: "" };
  }
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.length;
    // Leaving the loop destroys the body, and with it the connection.
    if (size > limits.maxBytes) throw new OversizeAnswer(`an answer of more than ${limits.maxBytes} bytes`);
    pieces.push(piece);
  }
  const text = new TextDecoder().decode(Buffer.concat(pieces));
  return { status: statusCode, headers: single(headers), text };
}

const single = (headers: Record<string, string | string[] | undefined>): AnswerHeaders =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]));

/** Undici's codes of an answer that did not arrive within its time limit. A connection that was never made is not among them. */
const TIMED_OUT = new Set(["UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"]);

/** Whether the upstream accepted the request and exceeded a time limit of `exchange`. */
export const isTimeout = (error: unknown): boolean => {
  const { code, name } = (error ?? {}) as { code?: string; name?: string };
  return TIMED_OUT.has(code ?? "") || name === "TimeoutError";
};

/** Undici's codes of a connection that broke before any byte of the answer: the same request may be sent again. */
const BROKEN = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"]);

export const isBrokenConnection = (error: unknown): boolean =>
  BROKEN.has((error as { code?: string } | null)?.code ?? "");
