/** URLs that strangers wrote. */

/** Longer ones are none of ours: a request line ends at 8 KiB on most servers. */
const MOST_URL = 8_192;

/**
 * Reads a URL without throwing; null for what is none, or too long. `URL.canParse` is no such test: of a host beyond
 * 16,384 characters it says yes where `new URL` throws.
 * @param base of a relative one
 */
export function urlOf(text: string, base?: URL): URL | null {
  if (text.length > MOST_URL) return null;
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}
