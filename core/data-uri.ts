/** Data URIs, as agents write them. @see RFC 2397 */
import { percentDecoded } from "./urls.ts";

/** Up to the blank that stands in the place of the comma. */
const BASE64_AND_BLANK = /^data:[^,\s]*;base64\s(?!\s*,)/i;

type DataUri = {
  /** In lower case, as are the parameters; empty where none is given. */
  type: string;
  parameters: string[];
  /** What stands behind the comma, without its percent-encoding. */
  data: string;
  /** A blank stands in the place of the comma. */
  hasBlank: boolean;
};

/** @returns null for what has no comma */
export function dataUriOf(uri: string): DataUri | null {
  const blank = BASE64_AND_BLANK.exec(uri)?.[0];
  const comma = blank === undefined ? uri.indexOf(",") : blank.length - 1;
  if (comma < 0) return null;
  const [type = "", ...parameters] = uri
    .slice(5, comma)
    .toLowerCase()
    .split(";")
    .map((part) => part.trim());
  return { type, parameters, data: percentDecoded(uri.slice(comma + 1)).trim(), hasBlank: blank !== undefined };
}

/** Bytes of base64 in either alphabet, with blanks between; null for anything else. */
export function base64Bytes(base64: string): Uint8Array | null {
  try {
    const text = atob(base64.replaceAll(/\s/g, "").replaceAll("-", "+").replaceAll("_", "/"));
    return Uint8Array.from(text, (c) => c.charCodeAt(0));
  } catch {
    return null;
  }
}
