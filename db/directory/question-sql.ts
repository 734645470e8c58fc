/** Questions about the directory, and the SQL of what they ask for: conditions on rows, and what rows are sorted by. */
import type { Facets, VerifiedKind } from "../../core/directory/facets.ts";
import {
  boundsOf,
  DIRECTORY_FILTERS,
  DIRECTORY_SORTS,
  type DirectoryNarrowing,
  type DirectorySort,
  searchKinds,
  TREND_WINDOW_KEYS,
  TREND_WINDOWS,
  type TrendWindow,
} from "../../core/directory/filters.ts";
import { folded } from "../sql/folded-text.ts";
import { statement, t } from "../sql/statement.ts";
import { ETHOS } from "./ethos-sql.ts";

/** The dollars that a row `d` traded in a window. Of 24 hours they are in the generated column `trend` already. */
const VOLUME: Record<Exclude<TrendWindow, "24h">, string> = {
  "7d": "greatest(d.volume_24h_usd, d.volume_7d_usd)",
  "30d": "greatest(d.volume_24h_usd, d.volume_7d_usd, d.volume_30d_usd)",
};

/** SQL of the order of `trending` in each of its windows; core/directory/filters.ts publishes the formula. */
export const trendSql = (window: TrendWindow): string =>
  window === "24h"
    ? "d.trend"
    : `round(1000 * (log(1 + greatest(0, coalesce(${VOLUME[window]}, 0))) + log(1 + greatest(0, d.uses)::float8)))::int4`;

/** It has a token that counts. */
export const HAS_TOKEN = "d.token_counts";

/** The kinds of verification with a column of their own; all others are platforms of proofs. */
const VERIFIED_COLUMNS: Partial<Record<VerifiedKind, string>> = {
  wallet: "d.wallet_proven",
  coinbase: "d.coinbase",
};

/** Conditions of the facets that compare a row's own columns, all of which a row `d` must meet; `$` adds a parameter. */
function facetsSql(facets: Facets, $: (value: unknown) => string) {
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
const EVERY_FACET: readonly Facets[] = [
  { platform: ["erc8004", "virtuals"], chain: [8453], minScore: 10, maxScore: 90 },
  { speaks: ["MCP", "A2A"], hasToken: true, minAgeDays: 1 },
  { verified: ["wallet", "x", "coinbase"], hasToken: false, maxAgeDays: 30 },
  { owner: `0x${"ab".repeat(20)}` },
];

export type DirectoryQuery = DirectoryNarrowing & {
  /** Part of a name, the beginning of the address of an agent's wallet or owner, an agent's id or a token's symbol. */
  q?: string | undefined;
  /** Id of the only row that is asked about. */
  row?: number | undefined;
  sort: DirectorySort;
  descending: boolean;
  offset: number;
  limit: number;
  /** Milliseconds since the epoch: what `new`, `trending` and ages are counted back from. */
  now: number;
};

/**
 * The wallet that a search is for, lower-case; null when it is for anything else. A whole address is part of no name. In every
 * sort a wallet's own agents come first, then those that it owns, and last those that only name it.
 */
export const searchedWallet = ({ q = "" }: Pick<DirectoryQuery, "q">): string | null =>
  /^0x[0-9a-f]{40}$/i.test(q) ? q.toLowerCase() : null;

/** Whether indexes find all that is asked for at once: one row, or the rows of a wallet or an owner. */
export const isOfFew = (query: DirectoryQuery): boolean =>
  query.row !== undefined || query.owner !== undefined || searchedWallet(query) !== null;

/** Ids of the directory in order, and the number of all that match. */
export type DirectoryPage = { total: number; ids: number[] };

export type DirectoryTotals = {
  total: number;
  /** Rows whose score is above 0. */
  scored: number;
  /** Of all scores. */
  sum: number;
  x402: number;
};

/** SQL of the sort keys; nulls are last and equal keys are by id, ascending, either way. */
export const SORTS: Record<DirectorySort, string> = {
  cred_score: "s.cred_score",
  name: `d.sort_name collate "C"`,
  created_at: "d.created_at",
  platform: `d.platform collate "C"`,
  token_market_cap: "d.market_cap_usd",
  volume_24h: "d.volume_24h_usd",
  price_change_24h: "d.price_change_24h",
  liquidity_usd: "d.liquidity_usd",
  ethos_score: ETHOS.score,
  updated_at: "d.updated_at",
  trend: trendSql("24h"),
  trend_7d: trendSql("7d"),
  trend_30d: trendSql("30d"),
};

/** Options that together reach every part of a list's text. */
export const EXAMPLES: readonly DirectoryQuery[] = [
  ...DIRECTORY_FILTERS.map((filter) => ({ filter, sort: "cred_score" as const })),
  ...DIRECTORY_SORTS.map((sort) => ({ filter: "all" as const, sort })),
  ...TREND_WINDOW_KEYS.map((window) => ({ filter: "trending" as const, window, sort: TREND_WINDOWS[window].sort })),
  ...EVERY_FACET.map((facet) => ({ filter: "all" as const, sort: "cred_score" as const, ...facet })),
  { filter: "x402" as const, sort: "cred_score" as const, row: 1 },
  ...["Nova", "0xab", `0x${"ab".repeat(20)}`].map((q) => ({
    ...{ filter: "x402" as const, sort: "cred_score" as const, active: true as const, q },
  })),
].map((query) => ({ descending: true, offset: 0, limit: 10, now: 0, ...query }));

/**
 * Tables and conditions of a question: rows `d`, scores `s`, or both where both are asked about. `key` is what is sorted
 * by. `rank`, in a search for a wallet, is what its agents are ordered by before the sort. One row, and the rows of a wallet or
 * an owner, are few, and their scores are read from the rows: the planner expects many, and would read all scores to join them.
 * @param only SQL of what is read in place of both tables, as `d` and `s`: some of their rows
 */
export function matching(query: DirectoryQuery, $: (value: unknown) => string, sort?: DirectorySort, only?: string) {
  const { q, now } = query;
  const { x402, active, scores, createdSince, createdUntil, activeSince, price } = boundsOf(query, now);
  const fromRows = isOfFew(query);
  const score = fromRows ? "d.cred_score" : SORTS.cred_score;
  const bounds = scores.map(({ from, to }) => `${score} between ${from} and ${to}`);
  const ofScores = fromRows ? [] : bounds;
  const ofRows = [...(fromRows ? bounds : []), ...facetsSql(query, $)];
  const key = sort === undefined || sort === "cred_score" ? score : SORTS[sort];
  let rank: string | undefined;
  if (ofScores.length === 0 && !fromRows && sort === "cred_score") ofScores.push("s.cred_score is not null");
  if (query.row !== undefined) ofRows.push(`d.id = ${$(query.row)}::int8`);
  if (x402) ofRows.push("d.x402_supported");
  if (active) ofRows.push("d.active");
  for (const since of createdSince) ofRows.push(`d.created_at >= ${$(new Date(since))}`);
  if (createdUntil !== undefined) ofRows.push(`d.created_at <= ${$(new Date(createdUntil))}`);
  if (activeSince !== undefined) ofRows.push(`d.active_at >= ${$(new Date(activeSince))}`);
  if (price) ofRows.push(`d.price_change_24h ${price === "up" ? ">" : "<"} 0`);
  if (q !== undefined) {
    const wallet = searchedWallet({ q });
    const matches = wordMatches(q, $);
    if (wallet !== null) {
      const of = $(wallet);
      matches.push(`d.address collate "C" = ${of}`, `d.owner_address collate "C" = ${of}`);
      rank = `case when d.address = ${of} and d.wallet_confirmed is false then 2
        when d.owner_address = ${of} and d.address is distinct from ${of} then 1 else 0 end`;
    } else
      matches.push(...addressMatches(q, $), `d.search_name like '%' || ${escaped(folded(`${$(q)}::text`))} || '%'`);
    ofRows.push(`(${matches.join(" or ")})`);
  }
  const scoresOnly = ofRows.length === 0 && ofScores.length > 0 && (sort ?? "cred_score") === "cred_score";
  if (scoresOnly) return { from: only ?? SCORES, where: ofScores.join(" and "), id: "s.id", key, rank };
  const where = [...ofScores, ...ofRows, "d.removed_at is null"].join(" and ");
  const joins = sort === "ethos_score" ? ` ${ETHOS.joins}` : "";
  if (ofScores.length === 0) return { from: (only ?? ROWS) + joins, where, id: "d.id", key, rank };
  const from = `${only ?? `${SCORES} join ${ROWS} on d.id = s.id`}${joins}`;
  return { from, where, id: sort === "cred_score" ? "s.id" : "d.id", key, rank };
}

/** A search in the form of the searched names. */
export const foldedWord = statement({
  name: "directory-folded-word",
  params: { text: t.text },
  text: `select ${folded("$text::text")} as word`,
  columns: { word: t.text },
  prepared: true,
}).onlyValue;

/** What a search compares in addition to names and addresses, each condition by an index of its own. */
export function wordMatches(q: string, $: (value: unknown) => string): string[] {
  const { word } = searchKinds(q);
  return [`lower(d.agent_id) = ${$(word)}`, `lower(d.token_symbol) = ${$(word)}`];
}

/** The beginnings of addresses that a search may mean, each condition by an index of its own. */
export function addressMatches(q: string, $: (value: unknown) => string): string[] {
  const { addressPrefix } = searchKinds(q);
  if (addressPrefix === undefined) return [];
  const [from, to] = [$(addressPrefix), $(`${addressPrefix}\u{10ffff}`)];
  return ["d.address", "d.owner_address"].map(
    (column) => `(${column} collate "C" >= ${from} and ${column} collate "C" <= ${to})`,
  );
}

const ROWS = "offchain.directory d";
const SCORES = "offchain.directory_score s";

/** SQL of a pattern of LIKE that finds a text literally. */
const escaped = (text: string) => `regexp_replace(${text}, '([\\\\%_])', '\\\\\\1', 'g')`;
