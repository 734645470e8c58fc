/** Validators of representations: strong ETags and If-None-Match (RFC 9110, sections 8.8.3 and 13.1.2). */
import { hash } from "node:crypto";

/** A strong ETag: 162 bits (27 letters of 6) of the representation's own hash. */
export const strongEtag = (content: string | Uint8Array): string =>
  `"${hash("sha256", content, "base64url").slice(0, 27)}"`;

/** Whether the client already has this representation. If-None-Match compares weakly, so `W/` is ignored. */
export function isNotModified(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === "*") return true;
  return ifNoneMatch.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
}
