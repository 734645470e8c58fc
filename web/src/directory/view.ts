/** The view of the directory. Its only state is the query of the address, so a reload or a shared link shows the same. */
import { FACETS, type Facets, VERIFIED_KINDS } from "../../../core/directory/facets.ts";
import { DIRECTORY_SORTS, TREND_WINDOW_KEYS, type TrendWindow } from "../../../core/directory/filters.ts";
import { PLATFORMS } from "../../../core/directory/platforms.ts";
import { PROTOCOLS } from "../../../core/directory/protocols.ts";

export type Sort = (typeof DIRECTORY_SORTS)[number];
const FILTERS = [
  "all",
  "trending",
  "gainers",
  "losers",
  "new",
  "x402",
  "preferred",
  "prime",
  "qualified",
  "marginal",
  "junk",
] as const;
export type Filter = (typeof FILTERS)[number];

export type View = {
  q: string;
  /** `watched` is known to this browser only. */
  filter: Filter | "watched";
  /** Of the filter `trending`. */
  window: TrendWindow;
  facets: Facets;
  sort: Sort | null;
  dir: "asc" | "desc";
  page: number;
  /** Includes rows whose name is a placeholder. */
  spam: boolean;
};

/** Max rows the API returns per page. */
export const PAGE_SIZE = 100;

const oneOf = <T extends string>(words: readonly T[], text: string | null): T | null =>
  words.find((word) => word === text) ?? null;

const PLATFORM_KEYS = PLATFORMS.map(({ key }) => key);

/** Values of a comma list that are known; undefined for none. */
function some<T>(text: string | null, read: (word: string) => T | null): T[] | undefined {
  const values = new Set((text ?? "").split(",").flatMap((word) => read(word.trim()) ?? []));
  return values.size > 0 ? [...values] : undefined;
}
const someOf = <T extends string>(words: readonly T[], text: string | null) =>
  some(text, (asked) => words.find((word) => word.toLowerCase() === asked.toLowerCase()) ?? null);

export function readInteger(text: string | null, min: number, max: number): number | undefined {
  const value = /^\d{1,10}$/.test(text ?? "") ? Number(text) : Number.NaN;
  return value >= min && value <= max ? value : undefined;
}

/** Lower and upper bound of a range; the lower one is left out where it is above the upper one. */
function range(lower: number | undefined, upper: number | undefined) {
  return [lower !== undefined && upper !== undefined && lower > upper ? undefined : lower, upper] as const;
}

function readFacets(params: URLSearchParams): Facets {
  const get = (name: keyof Facets) => params.get(name);
  const [minScore, maxScore] = range(readInteger(get("minScore"), 0, 100), readInteger(get("maxScore"), 0, 100));
  const [minAgeDays, maxAgeDays] = range(
    readInteger(get("minAgeDays"), 1, 3_650),
    readInteger(get("maxAgeDays"), 1, 3_650),
  );
  const hasToken = get("hasToken");
  return {
    minScore,
    maxScore,
    minAgeDays,
    maxAgeDays,
    platform: someOf(PLATFORM_KEYS, get("platform")),
    chain: some(get("chain"), (id) => readInteger(id, 1, 2 ** 31 - 1) ?? null)?.slice(0, 20),
    speaks: someOf(PROTOCOLS, get("speaks")),
    verified: someOf(VERIFIED_KINDS, get("verified")),
    hasToken: hasToken === "true" ? true : hasToken === "false" ? false : undefined,
    owner: /^0x[0-9a-f]{40}$/i.test(get("owner") ?? "") ? get("owner")!.toLowerCase() : undefined,
  };
}

/** Adds the facets to the parameters of an address: the page's and the API's have the same names. */
export function writeFacets(params: URLSearchParams, facets: Facets): void {
  for (const facet of FACETS) if (facets[facet] !== undefined) params.set(facet, String(facets[facet]));
}

/** Whether a view is narrowed by anything. */
export const isNarrowed = ({ q, filter, facets }: View): boolean =>
  q !== "" || filter !== "all" || FACETS.some((facet) => facets[facet] !== undefined);

/** The view of everything, in the same order. */
export const widened = (view: View): View => ({ ...view, q: "", filter: "all", window: "24h", facets: {}, page: 1 });

/** The view under another filter. The agents this browser watches are not narrowed by facets. */
export const underFilter = (view: View, filter: View["filter"]): View => ({
  ...view,
  ...(filter === "watched" && { facets: {} }),
  filter,
  page: 1,
});

/** Parses a view from the query; invalid values are ignored. */
export function readView(params: URLSearchParams): View {
  const page = Number(params.get("page") ?? 1);
  const filter = oneOf([...FILTERS, "watched"] as const, params.get("filter")) ?? "all";
  return {
    q: (params.get("q") ?? "").slice(0, 100),
    filter,
    window: oneOf(TREND_WINDOW_KEYS, params.get("window")) ?? "24h",
    facets: filter === "watched" ? {} : readFacets(params),
    sort: oneOf(DIRECTORY_SORTS, params.get("sort")),
    dir: params.get("dir") === "asc" ? "asc" : "desc",
    page: Number.isSafeInteger(page) && page > 0 ? page : 1,
    spam: params.get("spam") === "true",
  };
}

/** The query of a view; defaults are left out. */
export function writeView({ q, filter, window, facets, sort, dir, page, spam }: View): URLSearchParams {
  const params = new URLSearchParams();
  if (q) params.set("q", q);
  if (filter !== "all") params.set("filter", filter);
  if (filter === "trending" && window !== "24h") params.set("window", window);
  writeFacets(params, facets);
  if (sort) {
    params.set("sort", sort);
    params.set("dir", dir);
  }
  if (page > 1) params.set("page", String(page));
  if (spam) params.set("spam", "true");
  return params;
}

/** True for all agents by score: the only view in which the row number is the rank. */
export const isRanking = (view: View): boolean =>
  !isNarrowed(view) && (view.sort === null || (view.sort === "cred_score" && view.dir === "desc"));

/** First direction of a column: names ascending, numbers descending. */
const firstDir = (sort: Sort) => (sort === "name" || sort === "platform" ? "asc" : "desc");

/** The next of a header's three states: sorted, reversed, default. */
export function nextSort(view: View, sort: Sort): View {
  const first = firstDir(sort);
  if (view.sort !== sort) return { ...view, sort, dir: first, page: 1 };
  if (view.dir === first) return { ...view, dir: first === "asc" ? "desc" : "asc", page: 1 };
  return { ...view, sort: null, dir: "desc", page: 1 };
}

/** Views of this browser with a name, written as `<query> <name>`. */
export const presetOf = (text: string): { query: string; name: string } => {
  const [query = "", ...words] = text.split(" ");
  return { query, name: words.join(" ") };
};
