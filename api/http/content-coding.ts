/** Content codings of answers (RFC 9110, sections 8.4 and 12.5.3): what a client accepts, and the answer it gets. */
import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import {
  type BrotliOptions,
  brotliCompress,
  brotliCompressSync,
  constants,
  createBrotliCompress,
  createGzip,
  gzip,
  gzipSync,
  type ZlibOptions,
} from "node:zlib";
import Negotiator from "negotiator";
import { isNotModified } from "./conditional.ts";
import type { HttpAnswer, ResponseHead } from "./response-head.ts";

/** In the order of preference where a client has none. */
const CODINGS = ["br", "gzip"] as const;
export type ContentCoding = (typeof CODINGS)[number];

/** Bytes below which the coding's own header and the work cost more than they save. */
const MIN_BYTES = 1_024;
/** Bytes up to which compressing here costs less CPU than the way to a thread and back. */
const MAX_BYTES_HERE = 65_536;

// The lowest quality: on pages of the directory it costs a fifth of quality 5, for answers that are 2 % longer.
const BROTLI: BrotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MIN_QUALITY + 1 } };
const GZIP: ZlibOptions = { level: constants.Z_BEST_SPEED };
const brotliInThread = promisify<Uint8Array, BrotliOptions, Buffer>(brotliCompress);
const gzipInThread = promisify<Uint8Array, ZlibOptions, Buffer>(gzip);

/** What version 1 of the package knows, and its types do not yet: whom to take where the client likes two alike. */
type Preferring = { encodings(available: readonly string[], options: { preferred: string[] }): string[] };

/** The coding that a client prefers among those offered; null for none, which every client accepts. */
export function acceptedCoding(
  { headers }: Pick<IncomingMessage, "headers">,
  offered: readonly ContentCoding[] = CODINGS,
): ContentCoding | null {
  if (headers["accept-encoding"] === undefined) return null;
  const negotiator = new Negotiator({ headers }) as unknown as Preferring;
  const [best] = negotiator.encodings([...offered, "identity"], { preferred: [...offered] });
  return offered.find((coding) => coding === best) ?? null;
}

/** Whether content of a media type becomes shorter: JSON, text and XML. Events of a stream have to arrive one by one. */
const isCompressible = (type = ""): boolean =>
  /^(?:text\/(?!event-stream)|application\/(?:[\w.-]+\+)?(?:json|xml|yaml|javascript)|image\/svg\+xml)/.test(type);

/**
 * The answer as this client gets it: compressed where that is worth it, under a weak ETag then, because the bytes are no
 * longer those that were hashed; and 304 where the client has it.
 * @param answer whole, with a strong ETag where it has one
 */
export function forClient(incoming: IncomingMessage, head: ResponseHead, answer: HttpAnswer): HttpAnswer {
  const { status, headers, body } = answer;
  const isStream = body !== null && typeof body === "object" && "stream" in body;
  const isLong = isStream ? body.compressible === true : body !== null && Buffer.byteLength(body) >= MIN_BYTES;
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

/** The body in a coding: at once where it is short, from a thread where it is long. */
export function encoded(body: string | Uint8Array, coding: ContentCoding): Buffer | Promise<Buffer> {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  if (bytes.length <= MAX_BYTES_HERE)
    return coding === "br" ? brotliCompressSync(bytes, BROTLI) : gzipSync(bytes, GZIP);
  return coding === "br" ? brotliInThread(bytes, BROTLI) : gzipInThread(bytes, GZIP);
}

/** Compresses what is written to it. */
export const encoder = (coding: ContentCoding) => (coding === "br" ? createBrotliCompress(BROTLI) : createGzip(GZIP));
