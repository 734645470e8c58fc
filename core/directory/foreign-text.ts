/** Texts, links and times of other registries, made fit to store: what we would refuse from our own users is cut away here. */
import { lengthOf } from "../text.ts";
import { urlOf } from "../urls.ts";

/** Control, bidi and invisible characters, lone surrogates, noncharacters; a line break and a tab become a blank below. */
const HARMFUL =
  /[[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Noncharacter_Code_Point}\u00ad\u180e\u200b\u2060-\u2064\u206a-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]--[\n\t]]/gv;

/**
 * A foreign text in its stored form: NFC, trimmed, without what reorders, hides or breaks it, at most `max` code points.
 * @returns null when nothing remains
 */
export function foreignText(raw: unknown, max: number, { lines = false } = {}): string | null {
  if (typeof raw !== "string") return null;
  // Cut first: normalising a megabyte of combining marks takes seconds.
  let text = raw
    .slice(0, max * 8)
    .replaceAll("\r\n", "\n")
    .replace(HARMFUL, "")
    .normalize("NFC");
  if (!lines) text = text.replaceAll(/[\n\t]+/g, " ");
  text = text.trim();
  if (lengthOf(text) > max) text = [...text].slice(0, max).join("").trim();
  return text === "" ? null : text;
}

const MOST_LINK = 2_000;

/** A link that may be shown and followed: http(s), ipfs and ar only, at most 2,000 characters, without credentials. */
export function foreignLink(raw: unknown): string | null {
  if (typeof raw !== "string") return null;
  const text = raw.trim();
  if (text.length === 0 || text.length > MOST_LINK || /[\s\p{Cc}\\<>"]/u.test(text) || !text.isWellFormed())
    return null;
  if (/^(ipfs|ar):\/\/[^/]/i.test(text)) return text;
  if (!/^https?:\/\//i.test(text)) return null;
  const url = urlOf(text);
  return url && url.username === "" && url.password === "" && url.href.length <= MOST_LINK ? url.href : null;
}

/** A moment as ISO 8601 from ISO text, Unix seconds or milliseconds; null for anything else, and beyond the years 2000 to 2200. */
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

/** A count that may be stored: a whole number from 0 to 2^31 - 1; 0 for anything else. */
export const foreignCount = (raw: unknown): number =>
  typeof raw === "number" && raw > 0 ? Math.min(2 ** 31 - 1, Math.floor(raw)) : 0;

/** An EVM address in lower case; null for anything else, and for the zero address, which is nobody's. */
export function foreignAddress(raw: unknown): string | null {
  if (typeof raw !== "string" || !/^0x[0-9a-f]{40}$/i.test(raw)) return null;
  const address = raw.toLowerCase();
  return /^0x0{40}$/.test(address) ? null : address;
}
