/** Reads a query string: each known parameter once, the unknown ones by name. */
import { fail } from "../../core/errors.ts";

export type RequestQuery = {
  values: Record<string, string>;
  /** Names that the operation does not know, for X-Ignored-Params. */
  ignored: string[];
};

/**
 * @param search the part after `?`, percent-encoded
 * @param known names of the operation's parameters; the caller adds `minBlock`
 * @throws Failure invalid_input when a known parameter is repeated or is not valid text
 */
export function readQuery(search: string, known: ReadonlySet<string>): RequestQuery {
  const values: Record<string, string> = Object.create(null);
  const ignored = new Set<string>();
  for (const pair of search.split("&")) {
    if (pair === "") continue;
    const cut = pair.indexOf("=");
    const written = cut < 0 ? pair : pair.slice(0, cut);
    const name = decode(written);
    if (name === undefined || !known.has(name)) {
      ignored.add(name ?? written);
      continue;
    }
    const value = decode(cut < 0 ? "" : pair.slice(cut + 1));
    if (value === undefined || value.includes("\0"))
      return fail("invalid_input", `The parameter ${name} is not valid text.`, {
        details: [{ path: name, message: "is not valid percent-encoded UTF-8 text" }],
      });
    if (name in values)
      return fail("invalid_input", `The parameter ${name} is given more than once.`, {
        details: [{ path: name, message: "may be given once" }],
      });
    values[name] = value;
  }
  // An empty value is the default. It counts as given until here: a repeated name is refused.
  for (const name of Object.keys(values)) if (values[name] === "") delete values[name];
  return { values, ignored: [...ignored] };
}

/** @returns undefined for what is not percent-encoded UTF-8 */
function decode(part: string): string | undefined {
  try {
    return decodeURIComponent(part.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}

/** The header value of X-Ignored-Params: at most ten names, safe in a header. */
export const ignoredParams = (names: string[]): string =>
  names
    .slice(0, 10)
    .map((name) => encodeURIComponent(name.toWellFormed().slice(0, 64).toWellFormed()))
    .join(", ");
