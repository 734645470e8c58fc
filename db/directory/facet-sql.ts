/** SQL of the facets that compare a row's own columns; those of scores and ages are bounds (core/directory/filters.ts). */
import type { Facets, VerifiedKind } from "../../core/directory/facets.ts";

/** It has a token that counts. */
export const HAS_TOKEN = "d.token_counts";

/** The kinds of verification with a column of their own; all others are platforms of proofs. */
const VERIFIED_COLUMNS: Partial<Record<VerifiedKind, string>> = {
  wallet: "d.wallet_proven",
  coinbase: "d.coinbase",
};

/** Conditions on a row `d`, all of which it must meet; `$` adds a parameter. */
export function facetConditions(facets: Facets, $: (value: unknown) => string) {
  const { platform, chain, speaks, verified, hasToken, owner } = facets;
  const conditions: string[] = [];
  if (owner !== undefined) conditions.push(`d.owner_address collate "C" = ${$(owner)}`);
  if (platform) conditions.push(`d.platform = any(${$([...platform])}::text[])`);
  if (chain) conditions.push(`d.chain_id = any(${$([...chain])}::int4[])`);
  if (speaks) conditions.push(`d.protocols @> ${$([...speaks])}::text[]`);
  if (hasToken !== undefined) conditions.push(hasToken ? HAS_TOKEN : `not ${HAS_TOKEN}`);
  const proofs = (verified ?? []).filter((kind) => !VERIFIED_COLUMNS[kind]);
  if (proofs.length > 0) conditions.push(`d.proofs @> ${$(proofs)}::text[]`);
  for (const kind of verified ?? []) if (VERIFIED_COLUMNS[kind]) conditions.push(VERIFIED_COLUMNS[kind]);
  return conditions;
}

/** Facets that together reach every condition. */
export const EVERY_FACET: readonly Facets[] = [
  { platform: ["erc8004", "virtuals"], chain: [8453], minScore: 10, maxScore: 90 },
  { speaks: ["MCP", "A2A"], hasToken: true, minAgeDays: 1 },
  { verified: ["wallet", "x", "coinbase"], hasToken: false, maxAgeDays: 30 },
  { owner: `0x${"ab".repeat(20)}` },
];
