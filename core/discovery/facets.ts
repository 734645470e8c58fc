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

const VALUES: Record<FacetKey, (one: FacetedDocument) => readonly string[]> = {
  platform: ({ platform }) => [platform],
  speaks: ({ speaks }) => PROTOCOLS.filter((_, i) => speaks & (1 << i)),
  chain: ({ chainId }) => (chainId === null ? [] : [String(chainId)]),
  tier: ({ cred }) => [tierOf(cred).key],
  verified: ({ verified }) => [String(verified)],
  accepts: ({ speaks }) => (speaks & X402 ? ["x402"] : []),
};

/** @param scale what the counts are multiplied by: 1 where they are exact */
export const facetsOf = (found: readonly FacetedDocument[], scale: number): Facets =>
  Object.fromEntries(
    Object.entries(VALUES).map(([key, valuesOf]) => {
      const counts = new Map<string, number>();
      for (const one of found) for (const value of valuesOf(one)) counts.set(value, (counts.get(value) ?? 0) + 1);
      const values = [...counts].map(([value, count]) => ({ value, count: Math.round(count * scale) }));
      return [key, values.sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))];
    }),
  ) as Facets;
