/** Reads a request's body within bounds, as JSON or as absent. */
import type { IncomingMessage } from "node:http";
import { Failure, fail } from "../../core/errors.ts";
import { parseStrictJson } from "../../core/strict-json.ts";

/** Largest body accepted, in bytes. */
const MAX_BODY_BYTES = 256 * 1024;

/** Parameters do not change a media type (RFC 9110, section 8.3.1), and JSON is UTF-8 whatever `charset` says (RFC 8259). */
const JSON_TYPE = /^application\/(?:[a-z0-9.-]+\+)?json\s*(?:;.*)?$/i;

/** A body as sent (`bytes`, the base of fingerprints) and as understood; `value` is undefined when there was none. */
export type RequestBody = { bytes: Buffer; value: unknown };

/**
 * Reads the whole body, and stops at the first byte above the limit. An empty body of any declared type is an absent body;
 * a body without a declared type is taken as JSON.
 * @param options.lenient what is no JSON counts as absent
 * @throws Failure payload_too_large, unsupported_media_type, invalid_input
 */
export async function readBody(incoming: IncomingMessage, { lenient = false } = {}): Promise<RequestBody> {
  if (Number(incoming.headers["content-length"] ?? 0) > MAX_BODY_BYTES) throw tooLarge();
  const encoding = incoming.headers["content-encoding"];
  if (encoding !== undefined && encoding.trim().toLowerCase() !== "identity")
    fail("unsupported_media_type", "Compressed request bodies are not accepted.");
  const bytes = await collect(incoming);
  if (bytes.length === 0) return { bytes, value: undefined };
  const type = incoming.headers["content-type"];
  if (type !== undefined && !JSON_TYPE.test(type.trim()))
    fail("unsupported_media_type", "The request body must be JSON (Content-Type: application/json).");
  try {
    return { bytes, value: parseStrictJson(bytes) };
  } catch (error) {
    if (!lenient) throw error;
    return { bytes, value: undefined };
  }
}

function collect(incoming: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // The client disconnected before or while sending; no client reads the answer.
    const gone = () => reject(new Failure("invalid_input", "The request body ended early."));
    if (incoming.destroyed) return gone();
    const chunks: Buffer[] = [];
    let size = 0;
    const settle = () => {
      incoming.off("data", onData).off("end", onEnd).off("error", onError).off("close", onError);
    };
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size <= MAX_BODY_BYTES) return void chunks.push(chunk);
      settle();
      // The server discards the rest, within bounds, after the answer.
      incoming.pause();
      reject(tooLarge());
    };
    const onEnd = () => {
      settle();
      resolve(Buffer.concat(chunks));
    };
    const onError = () => {
      settle();
      gone();
    };
    incoming.on("data", onData).on("end", onEnd).on("error", onError).on("close", onError);
  });
}

const tooLarge = () =>
  new Failure("payload_too_large", `The request body is larger than ${MAX_BODY_BYTES / 1024} KiB.`);
