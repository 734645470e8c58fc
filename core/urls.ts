/** Parses URLs from untrusted sources. */

/** Max characters of a URL: most servers accept a request line of at most 8 KiB. */
const MAX_URL = 8_192;
/** Max UTF-16 units of a host with its user and port: normalising and encoding it take quadratic time. A name has 253. */
const MAX_AUTHORITY = 512;
const LONG_AUTHORITY = new RegExp(`^(?:[^/\\\\?#:]*:[/\\\\]*|[/\\\\]{2,})[^/\\\\?#]{${MAX_AUTHORITY + 1}}`);

/**
 * Parses a URL without throwing; null when it is invalid, longer than 8,192 characters, or its host longer than 512. A host
 * is written without the dot of its absolute form (`a.example.`), so that one host has one name; null for one with two.
 * `URL.canParse` cannot replace this: for a host longer than 16,384 characters it returns true, and `new URL` throws.
 * @param base of a relative URL
 */
export function urlOf(text: string, base?: URL): URL | null {
  if (text.length > MAX_URL || hasLongHost(text)) return null;
  try {
    const url = new URL(text, base);
    if (url.hostname.endsWith(".")) url.hostname = url.hostname.slice(0, -1);
    return url.hostname.endsWith(".") ? null : url;
  } catch {
    return null;
  }
}

/** Whether the host of a URL is longer than 512 characters: no name is, and parsing it would take long. */
export const hasLongHost = (text: string): boolean =>
  // Parsers pass over tabs and line breaks.
  LONG_AUTHORITY.test(text.replaceAll(/[\t\n\r]/g, ""));

const bare = ({ host }: URL) => host.replace(/^www\./, "");
/** Whether two URLs are of one host, with or without `www.` before its name: both names belong to one owner. */
export const isOneHost = (a: URL, b: URL): boolean => bare(a) === bare(b);

/** The name under which a host was registered, as far as it follows from the name without a list: its last two labels, or its address. */
export const siteOf = ({ hostname }: URL): string =>
  /^[\d.]+$|:/.test(hostname) ? hostname : hostname.split(".").slice(-2).join(".");

/** A text without its percent-encoding; the text itself where a percent sign begins no escape, as in raw JSON. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
