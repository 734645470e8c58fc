/** Offers that a registry itself gives with an agent, read from what is stored: no request is sent for them. */
import { MAX_OFFERS, type Offer, offersOf, type RawOffer } from "./offer.ts";
import { resourceOffer } from "./x402.ts";
import { x402Price } from "./x402-prices.ts";

type Json = Record<string, unknown>;

/** Reads the offers of one stored item, by the item's source. */
const READERS: Record<string, (raw: Json) => RawOffer[]> = {
  "x402-bazaar"(raw) {
    const price = x402Price(raw.accepts);
    return price && typeof raw.resource === "string" ? [resourceOffer(raw.resource, raw, price)] : [];
  },
  agentverse: ({ protocols }) =>
    (Array.isArray(protocols) ? protocols.slice(0, MAX_OFFERS) : []).map((protocol) => ({
      kind: "skill",
      name: (protocol as Json | null)?.name,
    })),
};

/** Sources whose items have offers. */
export const OFFERING_SOURCES = Object.keys(READERS);

/** The offers of an agent's items, each name and place once. @param skills what an own listing or a registration file says that it can do */
export function registryOffers(
  items: readonly { source: string; raw: unknown }[],
  { skills, domains }: { skills: readonly string[]; domains: readonly string[] },
): Offer[] {
  const given = items.flatMap(({ source, raw }) => READERS[source]?.((raw ?? {}) as Json) ?? []);
  const listed = skills.map((name): RawOffer => ({ kind: "skill", name, tags: domains }));
  const offers = new Map(offersOf([...listed, ...given]).map((offer) => [`${offer.name} ${offer.endpoint}`, offer]));
  return [...offers.values()];
}
