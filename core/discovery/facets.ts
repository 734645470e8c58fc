/** Facets: how many of the agents found have each value. */
import { tierOf } from "../cred/tiers.ts";
import { PROTOCOLS } from "../directory/protocols.ts";
import type { FacetKey, Facets } from "./query.ts";

export type FacetedDocument = {
  platform: string;
  chainId: number | null;
  cred: number;
  verified: boolean;
  speaks: number;
};

const X402 = 1 << PROTOCOLS.indexOf("x402");

/** Of each facet what a document is counted by, and the values of it. */
type FacetRule<Of> = { of: (one: FacetedDocument) => Of; values: (of: Of) => readonly string[] };
const rule = <Of>(of: FacetRule<Of>["of"], values: FacetRule<Of>["values"]): FacetRule<unknown> =>
  ({ of, values }) as FacetRule<unknown>;

const RULES: Record<FacetKey, FacetRule<unknown>> = {
  platform: rule(
    ({ platform }) => platform,
    (platform) => [platform],
  ),
  speaks: rule(
    ({ speaks }) => speaks,
    (speaks) => PROTOCOLS.filter((_, i) => speaks & (1 << i)),
  ),
  chain: rule(
    ({ chainId }) => chainId,
    (chainId) => (chainId === null ? [] : [String(chainId)]),
  ),
  tier: rule(
    ({ cred }) => cred,
    (cred) => [tierOf(cred).key],
  ),
  verified: rule(
    ({ verified }) => verified,
    (verified) => [String(verified)],
  ),
  accepts: rule(
    ({ speaks }) => speaks & X402,
    (x402) => (x402 ? ["x402"] : []),
  ),
};

/** How many have each. */
function counted<K>(all: Iterable<readonly [K, number]>): Map<K, number> {
  const counts = new Map<K, number>();
  for (const [key, count] of all) counts.set(key, (counts.get(key) ?? 0) + count);
  return counts;
}

/** @param scale what the counts are multiplied by: 1 where they are exact */
export const facetsOf = (found: readonly FacetedDocument[], scale: number): Facets =>
  Object.fromEntries(
    Object.entries(RULES).map(([key, { of, values }]) => {
      const counts = counted(found.map((one) => [of(one), 1]));
      const byValue = counted(
        [...counts].flatMap(([one, count]) => values(one).map((value) => [value, count] as const)),
      );
      const facet = [...byValue].map(([value, count]) => ({ value, count: Math.round(count * scale) }));
      return [key, facet.sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))];
    }),
  ) as Facets;
