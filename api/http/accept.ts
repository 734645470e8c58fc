/** Negotiation by the Accept header (RFC 9110, section 12.5.1). */

/**
 * Whether a client names a media type and does not refuse it. A range such as image/* is no naming: clients that send only
 * ranges may be old ones that cannot read a new type.
 */
export function accepts(accept: string | undefined, type: string): boolean {
  const named = (accept ?? "").split(",").find((part) => part.split(";", 1)[0]!.trim().toLowerCase() === type);
  return named !== undefined && !/;\s*q=0(\.0*)?\s*(;|$)/i.test(named);
}
