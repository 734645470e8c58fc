/** Offers that a registry itself gives with an agent, read from what is stored: no request is sent for them. */
import { foreignText } from "../directory/foreign-text.ts";
import { listOf, MAX_NAME, MAX_OFFERS, type Offer, offersOf, type RawOffer } from "./offer.ts";
import { resourceOffer } from "./x402.ts";
import { MAX_USD, x402Price } from "./x402-prices.ts";

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
  virtuals: ({ jobs, offerings }) => jobOffers([...listOf(jobs), ...listOf(offerings)]),
};

/**
 * Jobs that an agent of Virtuals does for a price. Their terms are in two lists that share names: `jobs` has the input,
 * `offerings` the price in dollars. A price without a unit, or for a share of the funds, is not known.
 */
function jobOffers(listed: readonly Json[]): RawOffer[] {
  const byName = Map.groupBy(listed, ({ name }) => foreignText(name, MAX_NAME)?.toLowerCase() ?? "");
  return [...byName.values()].flatMap((same): RawOffer[] => {
    if (same.some(({ isPrivate, isHidden }) => isPrivate === true || isHidden === true)) return [];
    const first = (key: string) => same.map((one) => one[key]).find((value) => value !== undefined && value !== null);
    const usd = first("priceUsd");
    const [terms, requirement] = [first("priceV2"), first("requirement")] as (Json | undefined)[];
    const isPrice = typeof usd === "number" && usd >= 0 && usd <= MAX_USD && (terms?.type ?? "fixed") === "fixed";
    return [
      {
        kind: "skill",
        name: first("name"),
        description: first("description"),
        inputSchema: requirement?.properties ? requirement : null,
        price: isPrice ? { accepts: [], usd } : null,
      },
    ];
  });
}

/** Sources whose items have offers. */
export const OFFERING_SOURCES = Object.keys(READERS);

/** Whether only the agent, or its registry, adds to its items there: a resource of the Bazaar is an item of whom it pays. */
export const isOwnWord = ({ source }: { source: string }): boolean => source !== "x402-bazaar";

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
