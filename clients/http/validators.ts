/** Conditional requests (RFC 9110): the server's validators of a known version are sent back; 304 means unchanged. */
import type { Validators } from "../ports.ts";
import type { AnswerHeaders } from "./retry-after.ts";

export const NOT_MODIFIED = 304;
/** Max characters of a stored validator: it is sent with every request. */
const MAX_VALIDATOR_CHARS = 1_000;

/** Headers of a request that is answered with 304 if the known version is current. */
export function conditionalHeaders(known: Validators | null | undefined): Record<string, string> {
  return {
    ...(known?.etag && { "if-none-match": known.etag }),
    ...(known?.lastModified && { "if-modified-since": known.lastModified }),
  };
}

/** The validators of an answer; null when it has none. */
export function validatorsOf(headers: AnswerHeaders): Validators | null {
  const usable = (text: string | undefined) => (text && text.length <= MAX_VALIDATOR_CHARS ? text : null);
  const etag = usable(headers.etag);
  const lastModified = usable(headers["last-modified"]);
  return etag === null && lastModified === null ? null : { etag, lastModified };
}
