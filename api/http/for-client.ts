/** The form of an answer that its client gets: whole, compressed, or not at all because the client has it. */
import type { IncomingMessage } from "node:http";
import { isNotModified } from "./conditional.ts";
import { acceptedCoding, isCompressible, MIN_CODED_BYTES } from "./content-coding.ts";
import type { HttpAnswer, ResponseHead } from "./response-head.ts";

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
