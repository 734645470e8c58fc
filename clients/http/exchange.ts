/** One request and its answer over undici: limits of time and size, and the answer's JSON. */
import type { Dispatcher } from "undici";
import type { AnswerHeaders } from "./retry-after.ts";

export type Limits = {
  /** Until the first byte of the answer's head. */
  headersMs: number;
  /** Between two pieces of the body. */
  bodyMs: number;
  /** For everything, connecting included. */
  totalMs: number;
  maxBytes: number;
};

export type Outgoing = {
  method: "GET" | "POST";
  url: URL;
  headers: Record<string, string>;
  /** Already serialised. */
  body?: string;
  /** The body of the answer is not wanted; `text` is empty then. */
  headOnly?: boolean;
};

/** Header names are lower-case; of a repeated one the first value counts. */
export type Incoming = { status: number; headers: AnswerHeaders; text: string };

/** The answer is larger than it may be. What an upstream says about one subject may be too much; it is no outage. */
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
    signal: AbortSignal.timeout(limits.totalMs),
  });
  if (request.headOnly) {
    // What is short and there is read, so that the connection can be used again; anything else ends with it.
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

/** Undici's codes of a connection that broke before the upstream had said anything: the same request may be sent again. */
const BROKEN = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"]);

export const isBrokenConnection = (error: unknown): boolean =>
  BROKEN.has((error as { code?: string } | null)?.code ?? "");
