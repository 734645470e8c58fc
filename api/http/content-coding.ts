/** Representations: validators (RFC 9110, sections 8.8.3 and 13.1.2) and content codings (sections 8.4 and 12.5.3). */
import { hash } from "node:crypto";
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

/** In the order of preference where a client has none. */
const CODINGS = ["br", "gzip"] as const;
export type ContentCoding = (typeof CODINGS)[number];

/** Bytes below which the coding's own header and the work cost more than they save. */
export const MIN_CODED_BYTES = 1_024;
/** Bytes up to which compressing here costs less CPU than the way to a thread and back. */
const MAX_BYTES_HERE = 65_536;

// The lowest quality: on pages of the directory it costs a fifth of quality 5, for answers that are 2 % longer.
const BROTLI: BrotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MIN_QUALITY + 1 } };
const GZIP: ZlibOptions = { level: constants.Z_BEST_SPEED };
const brotliInThread = promisify<Uint8Array, BrotliOptions, Buffer>(brotliCompress);
const gzipInThread = promisify<Uint8Array, ZlibOptions, Buffer>(gzip);

/** What version 1 of the package knows, and its types do not yet: whom to take where the client likes two alike. */
type PreferringNegotiator = { encodings(available: readonly string[], options: { preferred: string[] }): string[] };

/** The coding that a client prefers among those offered; null for none, which every client accepts. */
export function acceptedCoding(
  { headers }: Pick<IncomingMessage, "headers">,
  offered: readonly ContentCoding[] = CODINGS,
): ContentCoding | null {
  if (headers["accept-encoding"] === undefined) return null;
  const negotiator = new Negotiator({ headers }) as unknown as PreferringNegotiator;
  const [best] = negotiator.encodings([...offered, "identity"], { preferred: [...offered] });
  return offered.find((coding) => coding === best) ?? null;
}

/** Whether content of a media type becomes shorter: JSON, text and XML. Events of a stream have to arrive one by one. */
export const isCompressible = (type = ""): boolean =>
  /^(?:text\/(?!event-stream)|application\/(?:[\w.-]+\+)?(?:json|xml|yaml|javascript)|image\/svg\+xml)/.test(type);

/** The body in a coding: at once where it is short, from a thread where it is long. */
export function encoded(body: string | Uint8Array, coding: ContentCoding): Buffer | Promise<Buffer> {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  if (bytes.length <= MAX_BYTES_HERE)
    return coding === "br" ? brotliCompressSync(bytes, BROTLI) : gzipSync(bytes, GZIP);
  return coding === "br" ? brotliInThread(bytes, BROTLI) : gzipInThread(bytes, GZIP);
}

/** Compresses what is written to it. */
export const encoder = (coding: ContentCoding) => (coding === "br" ? createBrotliCompress(BROTLI) : createGzip(GZIP));

/** A strong ETag: 162 bits (27 letters of 6) of the representation's own hash. */
export const strongEtag = (content: string | Uint8Array): string =>
  `"${hash("sha256", content, "base64url").slice(0, 27)}"`;

/** Whether the client already has this representation. If-None-Match compares weakly, so `W/` is ignored. */
export function isNotModified(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === "*") return true;
  return ifNoneMatch.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
}
