/** Cleans texts, links and times of other registries for storage. Parts that are refused in users' own input are removed here. */
import { beginningOf, normalForm } from "../normal-form.ts";
import { lengthOf, withoutHarmful } from "../text.ts";
import { urlOf } from "../urls.ts";

/** Printable ASCII without blanks around it, as most names are: there is nothing to clean. */
const PLAIN = /^[!-~](?:[ -~]*[!-~])?$/;

/**
 * The stored form of a foreign text: NFC, trimmed, without harmful characters (line breaks and tabs become spaces), at most `max` code points.
 * @returns null when no text remains
 */
export function foreignText(raw: unknown, max: number, { lines = false } = {}): string | null {
  if (typeof raw !== "string") return null;
  if (raw.length <= max && PLAIN.test(raw)) return raw;
  let text = normalForm(withoutHarmful(beginningOf(raw, max).replaceAll("\r\n", "\n")), "NFC", max);
  if (!lines) text = text.replaceAll(/[\n\t]+/g, " ");
  text = text.trim();
  if (lengthOf(text) > max) text = [...text].slice(0, max).join("").trim();
  return text === "" ? null : text;
}

const MAX_LINK = 2_000;

/** A link that is safe to show and follow: http(s), ipfs or ar, at most 2,000 characters, without credentials; else null. */
export function foreignLink(raw: unknown): string | null {
  if (typeof raw !== "string") return null;
  const text = raw.trim();
  if (text.length === 0 || text.length > MAX_LINK || /[\s\p{Cc}\\<>"]/u.test(text) || !text.isWellFormed()) return null;
  if (/^(ipfs|ar):\/\/[^/]/i.test(text)) return text;
  if (!/^https?:\/\//i.test(text)) return null;
  const url = urlOf(text);
  if (url === null || url.username !== "" || url.password !== "") return null;
  return url.href.length <= MAX_LINK ? url.href : null;
}

/** Whether an address has a place to fill in (`{id}`, `<id>`): it leads nowhere. */
export const hasPlaceholder = (address: string): boolean => /[{<]|%7b|%3c/i.test(address);

/** Converts ISO text, Unix seconds or Unix milliseconds to ISO 8601; null for other values and outside the years 2000 to 2200. */
export function foreignTime(raw: unknown): string | null {
  if (typeof raw === "string" && raw.length > 64) return null;
  const written = typeof raw === "string" && /^\d{9,13}$/.test(raw) ? Number(raw) : raw;
  const ms =
    typeof written === "number"
      ? written < 1e11
        ? written * 1000
        : written
      : typeof written === "string"
        ? Date.parse(written)
        : Number.NaN;
  return ms >= 946_684_800_000 && ms < 7_258_118_400_000 ? new Date(ms).toISOString() : null;
}

/** A count: an integer from 0 to 2^31 - 1; other values become 0. */
export const foreignCount = (raw: unknown): number =>
  typeof raw === "number" && raw > 0 ? Math.min(2 ** 31 - 1, Math.floor(raw)) : 0;

/** An EVM address in lower case; null for other values and for the zero address, which has no owner. */
export function foreignAddress(raw: unknown): string | null {
  if (typeof raw !== "string" || !/^0x[0-9a-f]{40}$/i.test(raw)) return null;
  const address = raw.toLowerCase();
  return /^0x0{40}$/.test(address) ? null : address;
}
