/** Conditional requests (RFC 9110): what a server gave to tell versions apart is sent back, and 304 says that nothing is new. */
import type { Validators } from "../ports.ts";
import type { AnswerHeaders } from "./retry-after.ts";

export const NOT_MODIFIED = 304;
/** Longer ones are not kept: they would be sent back with every request. */
const LONGEST = 1_000;

/** Headers that ask for a document unless it is still the known version. */
export function conditionalHeaders(known: Validators | null | undefined): Record<string, string> {
  return {
    ...(known?.etag && { "if-none-match": known.etag }),
    ...(known?.lastModified && { "if-modified-since": known.lastModified }),
  };
}

/** The validators of an answer; null when it has none. */
export function validatorsOf(headers: AnswerHeaders): Validators | null {
  const usable = (text: string | undefined) => (text && text.length <= LONGEST ? text : null);
  const etag = usable(headers.etag);
  const lastModified = usable(headers["last-modified"]);
  return etag === null && lastModified === null ? null : { etag, lastModified };
}
