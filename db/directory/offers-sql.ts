/** SQL of what offers and endpoints say of the rows of the directory. */

/** `source` of the offers that a registry gives. */
export const REGISTRY = "registry";

/** SQL of the scheme and host of an endpoint `s`. */
export const ORIGIN = "split_part(s.url, '/', 1) || '//' || s.host";

/**
 * SQL of whether an offer `o` counts for its agent: its registry gives it, or the endpoint where it was read is shown to be
 * the agent's. A document says nothing of prices on another host.
 */
export const COUNTS = `(o.source = '${REGISTRY}' or exists (
  select from offchain.offer_source s where s.directory_id = o.directory_id and s.kind || ' ' || s.url = o.source
    and s.confirmed_by is not null
    and (o.kind <> 'resource' or starts_with(o.endpoint, ${ORIGIN} || '/'))))`;

/** SQL of whether an endpoint that is shown to be the agent's asks for payment by x402. @param id SQL of the row's id */
export const asksX402 = (id: string): string =>
  `exists (select from offchain.offer o where o.directory_id = ${id} and o.kind = 'resource' and ${COUNTS})`;
