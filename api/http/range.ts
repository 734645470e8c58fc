/** Range requests (RFC 9110, section 14): which bytes of a representation a request asks for. */
import type { Part } from "../../core/snapshots/bucket.ts";

/**
 * @param header of the request; one range is understood, more are answered by the whole
 * @param of.ifRange the header If-Range: the range counts for the representation with this strong ETag only
 * @returns null: the whole
 */
export function rangeOf(
  header: string | undefined,
  { size, etag, ifRange }: { size: number; etag: string; ifRange: string | undefined },
): Part | null | "unsatisfiable" {
  const [, first = "", last = ""] = /^bytes=[ \t]*(\d{0,15})-(\d{0,15})[ \t]*$/i.exec(header ?? "") ?? [];
  if ((first === "" && last === "") || (ifRange !== undefined && ifRange.trim() !== etag)) return null;
  if (first === "") {
    const length = Math.min(Number(last), size);
    return length === 0 ? "unsatisfiable" : { from: size - length, to: size - 1 };
  }
  const from = Number(first);
  const to = last === "" ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== "" && Number(last) < from) return null;
  return from < size ? { from, to } : "unsatisfiable";
}
