/** The filters of the directory and the formulas behind `new` and `trending`, as they are published. */
import { TIERS, type Tier, type TierKey } from "../tiers.ts";

/** `new`: registered within this time. */
export const NEW_MS = 7 * 86_400_000;
/** `trending`: used, or its token traded, within this time. */
export const TRENDING_MS = 86_400_000;
/**
 * What `trending` is ordered by unless a sort is asked for: 1000 · (log10(1 + dollars traded in 24 h) + log10(1 + uses)),
 * rounded. Market data are observed, never claimed; uses are those the agent's registry counts. Computed by the database
 * (`directory.trend`).
 */
export const TRENDING_FORMULA = "1000 * (log10(1 + volume_24h in US dollars) + log10(1 + uses))";
export const trendOf = ({ volume24hUsd, uses }: { volume24hUsd: number | null; uses: number }): number =>
  Math.round(1000 * (Math.log10(1 + Math.max(0, volume24hUsd ?? 0)) + Math.log10(1 + Math.max(0, uses))));

export type DirectoryFilter = "all" | "x402" | "new" | "trending" | "gainers" | "losers" | TierKey;
export const DIRECTORY_FILTERS = [
  "all",
  "x402",
  "new",
  "trending",
  "gainers",
  "losers",
  ...TIERS.map(({ key }) => key),
] as [DirectoryFilter, ...DirectoryFilter[]];

/** What the API sorts by; `trend` is what `trending` has by itself. */
export const DIRECTORY_SORTS = [
  "cred_score",
  "name",
  "created_at",
  "platform",
  "token_market_cap",
  "volume_24h",
  "price_change_24h",
  "liquidity_usd",
  "ethos_score",
  "updated_at",
] as const;
export type DirectorySort = (typeof DIRECTORY_SORTS)[number] | "trend";

/** What pages ask to sort by that nothing is ranked by, because agents say it of themselves: understood as no sort. */
export const UNRANKED_SORT = "revenue_self_reported";

/** Bounds that a filter puts on rows; times are Unix milliseconds, both ends included. */
export type FilterBounds = {
  x402?: true;
  /** Bounds of the score. */
  tier?: Pick<Tier, "from" | "to">;
  createdSince?: number;
  activeSince?: number;
  /** Where the price of the agent's token went within 24 hours, as a market saw it. */
  price?: "up" | "down";
};

/** So often the ends of time windows move: within it one set of rows answers every page. */
const WINDOW_STEP_MS = 60_000;

export function boundsOf(filter: DirectoryFilter, now: number): FilterBounds {
  const moment = Math.floor(now / WINDOW_STEP_MS) * WINDOW_STEP_MS;
  if (filter === "all") return {};
  if (filter === "x402") return { x402: true };
  if (filter === "new") return { createdSince: moment - NEW_MS };
  if (filter === "trending") return { activeSince: moment - TRENDING_MS };
  if (filter === "gainers") return { price: "up" };
  if (filter === "losers") return { price: "down" };
  const { from, to } = TIERS.find(({ key }) => key === filter)!;
  return { tier: { from, to } };
}

/** The sort of a filter when none is asked for. */
const DEFAULT_SORTS: Partial<Record<DirectoryFilter, DirectorySort>> = {
  new: "created_at",
  trending: "trend",
  gainers: "price_change_24h",
  losers: "price_change_24h",
};

/** What is asked of an order. */
type AskedOrder = {
  sort?: DirectorySort | typeof UNRANKED_SORT | undefined;
  dir?: "ASC" | "DESC" | undefined;
};

/** The order of a filter. By itself `losers` has the greatest loss first. */
export function orderOf(filter: DirectoryFilter, asked: AskedOrder): { sort: DirectorySort; descending: boolean } {
  const sort = asked.sort === UNRANKED_SORT ? undefined : asked.sort;
  return {
    sort: sort ?? DEFAULT_SORTS[filter] ?? "cred_score",
    descending: asked.dir === undefined ? sort !== undefined || filter !== "losers" : asked.dir === "DESC",
  };
}

/** What a search means, beside a part of a name: `folding` of the name is left to the caller that compares. */
export type SearchKinds = {
  /** The text itself. */
  name: string;
  /** Lower case, when it may be the beginning of an address. */
  addressPrefix?: string;
  /** Lower case; an agent's id or a token's symbol, exactly. */
  word: string;
};

const ADDRESS_BEGINNING = /^(?:0x[0-9a-f]{0,40}|agent1q[0-9a-z]{0,58})$/i;

export function searchKinds(text: string): SearchKinds {
  const word = text.toLowerCase();
  return { name: text, word, ...(ADDRESS_BEGINNING.test(text) && { addressPrefix: word }) };
}
