/** The filters of the directory, and the published formulas of `new` and `trending`. */
import { TIERS, type TierKey } from "../cred/tiers.ts";
import type { Facets } from "./facets.ts";

/** Filter `new`: registered within the last 7 days. */
const NEW_MS = 7 * 86_400_000;
const DAY_MS = 86_400_000;

/** The windows of `trending`: used, or its token traded, within this time; `sort` is the window's default order. */
export const TREND_WINDOWS = {
  "24h": { ms: DAY_MS, sort: "trend" },
  "7d": { ms: 7 * DAY_MS, sort: "trend_7d" },
  "30d": { ms: 30 * DAY_MS, sort: "trend_30d" },
} as const;
export type TrendWindow = keyof typeof TREND_WINDOWS;
export const TREND_WINDOW_KEYS = Object.keys(TREND_WINDOWS) as [TrendWindow, ...TrendWindow[]];

/**
 * The default order of `trending`: 1000 · (log10(1 + dollars traded in the window) + log10(1 + uses)), rounded. Market
 * data are observed, never claimed; uses are counted by the agent's registry. The dollars of 7 and 30 days are those of
 * the last 7 and 30 whole UTC days (`db/directory/daily-ranks.ts`), and never below those of the last 24 hours. Computed by
 * the database (`directory.trend`, `trendSql` in db/directory/question-sql.ts).
 */
export const TRENDING_FORMULA = "1000 * (log10(1 + US dollars traded in the window) + log10(1 + uses))";

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

/** The sorts of the API; those of TREND_WINDOWS are the defaults of the filter `trending`. */
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
export type DirectorySort = (typeof DIRECTORY_SORTS)[number] | (typeof TREND_WINDOWS)[TrendWindow]["sort"];

/** A sort that clients send and that is treated as no sort, because agents state this value about themselves. */
export const UNRANKED_SORT = "revenue_self_reported";

/** The conditions of a question, without its search text. */
export type DirectoryNarrowing = Facets & {
  filter: DirectoryFilter;
  window?: TrendWindow | undefined;
  /** Leaves agents out that say that they are not active. */
  active?: true | undefined;
};

/** Bounds that a row must meet; times are Unix milliseconds, all ends included. */
export type FilterBounds = {
  x402?: true;
  active?: true;
  /** Ranges of the score: of the filter and of the facets. */
  scores: { from: number; to: number }[];
  createdSince: number[];
  createdUntil?: number;
  activeSince?: number;
  /** Direction of the observed price of the agent's token within 24 hours. */
  price?: "up" | "down";
};

/** Time windows end at multiples of one minute, so that all pages of one minute come from one set of rows. */
const WINDOW_STEP_MS = 60_000;

export function boundsOf(
  { filter, window = "24h", active, minScore, maxScore, minAgeDays, maxAgeDays }: DirectoryNarrowing,
  now: number,
): FilterBounds {
  const moment = Math.floor(now / WINDOW_STEP_MS) * WINDOW_STEP_MS;
  const bounds: FilterBounds = { scores: [], createdSince: [], ...(active && { active }) };
  if (filter === "x402") bounds.x402 = true;
  else if (filter === "new") bounds.createdSince.push(moment - NEW_MS);
  else if (filter === "trending") bounds.activeSince = moment - TREND_WINDOWS[window].ms;
  else if (filter === "gainers") bounds.price = "up";
  else if (filter === "losers") bounds.price = "down";
  else if (filter !== "all") {
    const { from, to } = TIERS.find(({ key }) => key === filter)!;
    bounds.scores.push({ from, to });
  }
  if (minScore !== undefined || maxScore !== undefined)
    bounds.scores.push({ from: minScore ?? 0, to: maxScore ?? 100 });
  if (maxAgeDays !== undefined) bounds.createdSince.push(moment - maxAgeDays * DAY_MS);
  if (minAgeDays !== undefined) bounds.createdUntil = moment - minAgeDays * DAY_MS;
  return bounds;
}

/** The default sort of a filter. */
const DEFAULT_SORTS: Partial<Record<DirectoryFilter, DirectorySort>> = {
  new: "created_at",
  gainers: "price_change_24h",
  losers: "price_change_24h",
};

/** The order that a request names. */
type AskedOrder = {
  sort?: DirectorySort | typeof UNRANKED_SORT | undefined;
  dir?: "ASC" | "DESC" | undefined;
};

/** The order of a filter. The default of `losers` is the greatest loss first. */
export function orderOf(
  { filter, window = "24h" }: Pick<DirectoryNarrowing, "filter" | "window">,
  order: AskedOrder,
): { sort: DirectorySort; descending: boolean } {
  const sort = order.sort === UNRANKED_SORT ? undefined : order.sort;
  const otherwise = filter === "trending" ? TREND_WINDOWS[window].sort : DEFAULT_SORTS[filter];
  return {
    sort: sort ?? otherwise ?? "cred_score",
    descending: order.dir === undefined ? sort !== undefined || filter !== "losers" : order.dir === "DESC",
  };
}

const ADDRESS_BEGINNING = /^(?:0x[0-9a-f]{0,40}|agent1q[0-9a-z]{0,58})$/i;

/**
 * The possible meanings of a search text: part of a name; in lower case, exact id of an agent or symbol of a token, and the
 * beginning of an address where it can be one. The caller that compares names folds case and accents.
 */
export function searchKinds(text: string) {
  const word = text.toLowerCase();
  return { name: text, word, ...(ADDRESS_BEGINNING.test(text) && { addressPrefix: word }) };
}
