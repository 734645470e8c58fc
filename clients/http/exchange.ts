/** One request and its answer over undici: limits of time and size, and the answer's text. */
import type { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import { isEventStream } from "../../core/event-streams.ts";
import type { ForeignRequest } from "../ports.ts";
import { bodyBytes, lettersOf, OversizeBody } from "./body-text.ts";
import type { AnswerHeaders } from "./retry-after.ts";

/** Max lines of a stream: what has more has no answer in it, and is only read. */
const MAX_LINES = 16_384;

/** @returns takes a piece of a stream; gives the events that it ended and that have data, each as its lines */
export function eventCutter(): (piece: Buffer) => string[] {
  const decoder = new TextDecoder();
  /** The pieces of a line that has not ended, and the lines of an event that has not. */
  let begun: string[] = [];
  let lines: string[] = [];
  let afterReturn = false;
  let count = 0;
  return (piece) => {
    if (count > MAX_LINES) return [];
    let text = decoder.decode(piece, { stream: true });
    if (afterReturn && text.startsWith("\n")) text = text.slice(1);
    if (text === "") return [];
    afterReturn = text.endsWith("\r");
    const [head, ...rest] = text.split(/\r\n|\n|\r/);
    begun.push(head!);
    count += rest.length;
    const events: string[] = [];
    for (const next of rest) {
      const line = begun.join("");
      begun = [next];
      if (line !== "") lines.push(line);
      else {
        if (lines.some((each) => each.startsWith("data:"))) events.push(lines.join("\n"));
        lines = [];
      }
    }
    return events;
  };
}

export type Limits = {
  /** Max ms until the first byte of the answer's head. */
  headersMs: number;
  /** Max ms between two chunks of the body. */
  bodyMs: number;
  /** Max ms for the whole exchange, including the connection. */
  totalMs: number;
  maxBytes: number;
};

/** `headOnly` discards the body of the answer, even if it is large or slow; an `onEvent` that ends it leaves in `text` what has arrived. */
export type OutgoingRequest = Pick<ForeignRequest, "body" | "headOnly" | "onEvent" | "signal"> & {
  method: "GET" | "POST";
  url: URL;
  headers: Record<string, string>;
};

/** An answer. Header names are lower-case; of a repeated header the first value is taken. */
export type IncomingAnswer = {
  status: number;
  headers: AnswerHeaders;
  text: string;
  /** What `text` was read from; missing where the body was discarded. */
  bytes?: Uint8Array;
};

/** Thrown when an answer exceeds the size limit. It is not an outage: data on one subject may be too large. */
export class OversizeAnswer extends Error {}

/** Max answers of status 1xx before an answer. */
const MAX_INTERIM_ANSWERS = 16;

/**
 * Sends a request and reads its whole answer. Redirects are answers like any other.
 * @throws OversizeAnswer; undici's errors when there is no answer within the limits
 */
export async function exchange(
  dispatcher: Dispatcher,
  request: OutgoingRequest,
  limits: Limits,
): Promise<IncomingAnswer> {
  const flood = new AbortController();
  let before = 0;
  const answer = await dispatcher.request({
    origin: request.url.origin,
    path: request.url.pathname + request.url.search,
    method: request.method,
    headers: request.headers,
    body: request.body ?? null,
    headersTimeout: limits.headersMs,
    bodyTimeout: limits.bodyMs,
    onInfo: () => {
      if (++before > MAX_INTERIM_ANSWERS) flood.abort(new Error("too many answers of status 1xx"));
    },
    signal: AbortSignal.any([
      ...(request.signal ? [request.signal] : []),
      flood.signal,
      AbortSignal.timeout(limits.totalMs),
    ]),
  });
  const { statusCode: status, body } = answer;
  const headers = single(answer.headers);
  if (request.headOnly) {
    // A stream of events may never end.
    if (isEventStream(headers)) body.on("error", () => {}).destroy();
    // A short body is read, so that the connection can be reused; otherwise the connection is closed.
    else await body.dump({ limit: limits.maxBytes, signal: AbortSignal.timeout(limits.bodyMs) }).catch(() => {});
    return { status, headers, text: "" };
  }
  const pieces = await piecesOf(body, limits, isEventStream(headers) ? request.onEvent : undefined);
  try {
    const bytes = await bodyBytes(Buffer.concat(pieces), headers, limits.maxBytes);
    return { status, headers, text: lettersOf(bytes, headers["content-type"]), bytes };
  } catch (error) {
    if (error instanceof OversizeBody) throw new OversizeAnswer(`an answer of more than ${limits.maxBytes} bytes`);
    throw error;
  }
}

/** Milliseconds and bytes in which a stream that was heard to its answer may end, so that its connection can be used again. */
const END_MS = 100;
const END_BYTES = 65_536;

/** A line of data in a stream of events. */
const DATA = /^data:/m;

/** Reads a body. Leaving a loop destroys it, and with it the connection. */
async function piecesOf(body: Readable, { maxBytes }: Limits, onEvent: OutgoingRequest["onEvent"]): Promise<Buffer[]> {
  const pieces: Buffer[] = [];
  const cut = onEvent && eventCutter();
  let size = 0;
  let state: "nothing" | "something" | "enough" = "nothing";
  let rest = 0;
  let end: NodeJS.Timeout | undefined;
  try {
    for await (const piece of body as AsyncIterable<Buffer>) {
      size += piece.length;
      if (size > maxBytes) throw new OversizeAnswer(`an answer of more than ${maxBytes} bytes`);
      if (state === "enough") {
        rest += piece.length;
        if (rest > END_BYTES) break;
        continue;
      }
      pieces.push(piece);
      for (const event of cut?.(piece) ?? []) {
        state = (await onEvent!(event)) ? "enough" : "something";
        if (state !== "enough") continue;
        end = setTimeout(() => body.destroy(), END_MS);
        break;
      }
    }
  } catch (error) {
    // A stream that has said something is an answer, though it ends by its limit of time, and its event in no blank line.
    const isAnswer = state !== "nothing" || (cut !== undefined && DATA.test(Buffer.concat(pieces).toString("latin1")));
    if (!isAnswer || (state !== "enough" && error instanceof OversizeAnswer)) throw error;
  } finally {
    clearTimeout(end);
  }
  return pieces;
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
