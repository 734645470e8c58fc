/** Negotiation by the Accept header (RFC 9110, section 12.5.1). */

/**
 * How much a client wants a media type that it names, 0 to 1; 0 for one it does not name. A range such as image/* is no
 * naming: clients that send only ranges may be old ones that cannot read a new type.
 */
export function qualityOf(accept: string | undefined, type: string): number {
  const named = (accept ?? "").split(",").find((part) => part.split(";", 1)[0]!.trim().toLowerCase() === type);
  if (named === undefined) return 0;
  const given = /;\s*q=([\d.]+)/i.exec(named)?.[1];
  return given === undefined ? 1 : Number(given);
}

/** Whether a client names a media type and does not refuse it. */
export const accepts = (accept: string | undefined, type: string): boolean => qualityOf(accept, type) > 0;
