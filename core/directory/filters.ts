/** The filters of the directory, and the published formulas of `new` and `trending`. */
import { TIERS, type Tier, type TierKey } from "../tiers.ts";

/** Filter `new`: registered within the last 7 days. */
export const NEW_MS = 7 * 86_400_000;
/** Filter `trending`: used, or its token traded, within the last 24 hours. */
export const TRENDING_MS = 86_400_000;
/**
 * The default order of `trending`: 1000 · (log10(1 + dollars traded in 24 h) + log10(1 + uses)), rounded. Market data are
 * observed, never claimed; uses are counted by the agent's registry. Computed by the database (`directory.trend`).
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

/** The sorts of the API; `trend` is the default of the filter `trending`. */
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

/** A sort that clients send and that is treated as no sort, because agents state this value about themselves. */
export const UNRANKED_SORT = "revenue_self_reported";

/** Bounds of a filter; times are Unix milliseconds, both ends included. */
export type FilterBounds = {
  x402?: true;
  /** Range of the score. */
  tier?: Pick<Tier, "from" | "to">;
  createdSince?: number;
  activeSince?: number;
  /** Direction of the observed price of the agent's token within 24 hours. */
  price?: "up" | "down";
};

/** Time windows end at multiples of one minute, so that all pages of one minute come from one set of rows. */
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

/** The default sort of a filter. */
const DEFAULT_SORTS: Partial<Record<DirectoryFilter, DirectorySort>> = {
  new: "created_at",
  trending: "trend",
  gainers: "price_change_24h",
  losers: "price_change_24h",
};

/** The order that a request names. */
type AskedOrder = {
  sort?: DirectorySort | typeof UNRANKED_SORT | undefined;
  dir?: "ASC" | "DESC" | undefined;
};

/** The order of a filter. The default of `losers` is the greatest loss first. */
export function orderOf(filter: DirectoryFilter, asked: AskedOrder): { sort: DirectorySort; descending: boolean } {
  const sort = asked.sort === UNRANKED_SORT ? undefined : asked.sort;
  return {
    sort: sort ?? DEFAULT_SORTS[filter] ?? "cred_score",
    descending: asked.dir === undefined ? sort !== undefined || filter !== "losers" : asked.dir === "DESC",
  };
}

/** The possible meanings of a search text. The caller that compares names folds case and accents. */
export type SearchKinds = {
  /** Part of a name: the text itself. */
  name: string;
  /** Beginning of an address, in lower case; absent when the text cannot be one. */
  addressPrefix?: string;
  /** Exact id of an agent or symbol of a token, in lower case. */
  word: string;
};

const ADDRESS_BEGINNING = /^(?:0x[0-9a-f]{0,40}|agent1q[0-9a-z]{0,58})$/i;

export function searchKinds(text: string): SearchKinds {
  const word = text.toLowerCase();
  return { name: text, word, ...(ADDRESS_BEGINNING.test(text) && { addressPrefix: word }) };
}
