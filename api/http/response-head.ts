/** A response while its request is handled, in the form that its client gets: headers are collected and written at once, because each `setHeader` of Node checks and stores its header. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { ResponseEnd } from "./concurrency-limit.ts";
import {
  acceptedCoding,
  type ContentCoding,
  encoded,
  isCompressible,
  isNotModified,
  MIN_CODED_BYTES,
} from "./content-coding.ts";
import type { StreamContent } from "./event-stream.ts";

/** A response; its headers are sent in addition to those that were set before. `coding`: the body is sent in it. */
export type HttpAnswer = {
  status: number;
  headers: Record<string, string>;
  body: string | Uint8Array | StreamContent | null;
  coding?: ContentCoding;
};

export class ResponseHead implements ResponseEnd {
  readonly requestId: string;
  readonly #response: ServerResponse;
  /** By lower-case name. */
  readonly #headers: Record<string, string>;

  /** @param constants headers of every response, by their lower-case names */
  constructor(response: ServerResponse, requestId: string, constants: Readonly<Record<string, string>>) {
    this.requestId = requestId;
    this.#response = response;
    this.#headers = { "x-request-id": requestId, ...constants };
  }

  setHeader(name: string, value: string): void {
    this.#headers[name.toLowerCase()] = value;
  }

  getHeader(name: string): string | undefined {
    return this.#headers[name.toLowerCase()];
  }

  get destroyed(): boolean {
    return this.#response.destroyed;
  }

  once(event: "close", closed: () => void): void {
    this.#response.once(event, closed);
  }

  /**
   * Writes the response, or its head where the body is a stream. The rest of a request body that was not read is
   * discarded after it.
   */
  send(incoming: IncomingMessage, { status, headers, body, coding }: HttpAnswer): void {
    const response = this.#response;
    const all = this.#headers;
    for (const name in headers) all[name.toLowerCase()] = headers[name]!;
    if (coding) all["content-encoding"] = coding;
    if (body !== null && typeof body === "object" && "stream" in body) {
      response.writeHead(status, flat(all));
      return void body.stream(response, coding);
    }
    const isHead = incoming.method === "HEAD";
    if (incoming.method !== "GET" && !isHead) drain(incoming, response);
    const isEmpty = isHead || ((status === 304 || status === 204) && body === null);
    const bytes = isEmpty ? null : coding && body !== null ? encoded(body, coding) : (body ?? "");
    if (!(bytes instanceof Promise)) this.#end(status, bytes);
    else bytes.then((ready) => this.#end(status, ready)).catch((error: Error) => response.destroy(error));
  }

  /** @param body null has no length either */
  #end(status: number, body: string | Uint8Array | null): void {
    if (body !== null) this.#headers["content-length"] = String(Buffer.byteLength(body));
    this.#response.writeHead(status, flat(this.#headers));
    this.#response.end(body ?? undefined);
  }
}

/** Names and values in turn: the form that Node writes without another copy. */
function flat(headers: Record<string, string>): string[] {
  const list: string[] = [];
  for (const name in headers) list.push(name, headers[name]!);
  return list;
}

/** Max milliseconds and bytes; beyond them the connection is closed. */
const MAX_MS = 500;
const MAX_BYTES = 64 * 2 ** 20;

/** Begins when the response is written, unless the whole body has been read by then. */
function drain(incoming: IncomingMessage, outgoing: ServerResponse): void {
  if (incoming.readableEnded) return;
  outgoing.once("finish", () => {
    if (!incoming.readableEnded && !incoming.destroyed) discard(incoming);
  });
}

function discard(incoming: IncomingMessage): void {
  let bytes = 0;
  const close = () => {
    clearTimeout(timer);
    incoming.socket.destroySoon();
  };
  const timer = setTimeout(close, MAX_MS);
  timer.unref();
  incoming.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) close();
  });
  for (const event of ["end", "error", "close"]) incoming.once(event, () => clearTimeout(timer));
  incoming.resume();
}

/**
 * The answer as this client gets it: compressed where that is worth it, under a weak ETag then, because the bytes are no
 * longer those that were hashed; and 304 where the client has it.
 * @param answer whole, with a strong ETag where it has one
 */
export function forClient(incoming: IncomingMessage, head: ResponseHead, answer: HttpAnswer): HttpAnswer {
  const { status, headers, body } = answer;
  const isStream = body !== null && typeof body === "object" && "stream" in body;
  const isLong = isStream ? body.compressible === true : body !== null && Buffer.byteLength(body) >= MIN_CODED_BYTES;
  const varies = isLong && isCompressible(headers["content-type"]);
  const coding = varies ? acceptedCoding(incoming) : null;
  const { etag } = headers;
  const sent = { ...headers };
  if (varies) sent.vary = [headers.vary ?? head.getHeader("vary"), "Accept-Encoding"].filter(Boolean).join(", ");
  if (coding && etag !== undefined) sent.etag = `W/${etag}`;
  if (status === 200 && etag !== undefined && isNotModified(incoming.headers["if-none-match"], etag)) {
    delete sent["content-type"];
    return { status: 304, headers: sent, body: null };
  }
  return { status, headers: sent, body, ...(coding && { coding }) };
}
