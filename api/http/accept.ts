/** Negotiation by the Accept header (RFC 9110, section 12.5.1). */

/** The part of the header that names a media type or a range, with its parameters. */
const rangeOf = (accept: string | undefined, range: string): string | undefined =>
  (accept ?? "").split(",").find((part) => part.split(";", 1)[0]!.trim().toLowerCase() === range);
const isNamed = (accept: string | undefined, range: string): boolean => rangeOf(accept, range) !== undefined;

/**
 * How much a client wants a media type that it names, 0 to 1; 0 for one it does not name. A range such as image/* is no
 * naming: clients that send only ranges may be old ones that cannot read a new type.
 */
export function qualityOf(accept: string | undefined, type: string): number {
  const named = rangeOf(accept, type);
  if (named === undefined) return 0;
  const given = /;\s*q=([\d.]+)/i.exec(named)?.[1];
  return given === undefined ? 1 : Number(given);
}

/** How much a client takes a media type, by the most specific range that covers it; 1 without the header, which takes anything. */
function coveredQuality(accept: string | undefined, type: string): number {
  if (!accept?.trim()) return 1;
  const ranges = [type, `${type.split("/", 1)[0]}/*`, "*/*"];
  const covering = ranges.find((range) => isNamed(accept, range));
  return covering === undefined ? 0 : qualityOf(accept, covering);
}

/**
 * Whether a page is what a client wants at a path. A client that names neither HTML nor JSON, such as a link preview or curl,
 * gets the page where nothing else answers.
 */
export function wantsPage(accept: string | undefined, isOnlyPage: boolean): boolean {
  const [html, json] = ["text/html", "application/json"] as const;
  if (isNamed(accept, html) || isNamed(accept, json))
    return qualityOf(accept, html) > 0 && qualityOf(accept, html) >= qualityOf(accept, json);
  return isOnlyPage && coveredQuality(accept, html) > 0;
}

/** Whether a client names a media type and does not refuse it. */
export const accepts = (accept: string | undefined, type: string): boolean => qualityOf(accept, type) > 0;
