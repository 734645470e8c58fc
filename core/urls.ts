/** Parses URLs from untrusted sources. */

/** Max characters of a URL: most servers accept a request line of at most 8 KiB. */
const MAX_URL = 8_192;

/**
 * Parses a URL without throwing; null when it is invalid or too long. `URL.canParse` cannot replace this: for a host
 * longer than 16,384 characters it returns true, and `new URL` throws.
 * @param base of a relative URL
 */
export function urlOf(text: string, base?: URL): URL | null {
  if (text.length > MAX_URL) return null;
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}
