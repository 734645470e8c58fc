/** Parses URLs from untrusted sources. */

/** Max characters of a URL: most servers accept a request line of at most 8 KiB. */
const MAX_URL = 8_192;
/** Max UTF-16 units of the host with its user and port: normalising and encoding a host take quadratic time. */
const MAX_AUTHORITY = 1_024;
const LONG_AUTHORITY = new RegExp(`^(?:[^/\\\\?#:]*:)?[/\\\\]*[^/\\\\?#]{${MAX_AUTHORITY + 1}}`);

/**
 * Parses a URL without throwing; null when it is invalid, too long, or has a host (in a relative one: a first segment)
 * of more than 1,024 characters. `URL.canParse` cannot replace this: for a host longer than 16,384 characters it returns
 * true, and `new URL` throws.
 * @param base of a relative URL
 */
export function urlOf(text: string, base?: URL): URL | null {
  // Parsers pass over tabs and line breaks.
  if (text.length > MAX_URL || LONG_AUTHORITY.test(text.replaceAll(/[\t\n\r]/g, ""))) return null;
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}
