/** The view of the directory. Its only state is the query of the address, so a reload or a shared link shows the same. */
import { DIRECTORY_SORTS } from "../../../core/directory/filters.ts";

export type Sort = (typeof DIRECTORY_SORTS)[number];
export const FILTERS = [
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

/** Parses a view from the query; invalid values are ignored. */
export function readView(params: URLSearchParams): View {
  const page = Number(params.get("page") ?? 1);
  return {
    q: (params.get("q") ?? "").slice(0, 100),
    filter: oneOf([...FILTERS, "watched"] as const, params.get("filter")) ?? "all",
    sort: oneOf(DIRECTORY_SORTS, params.get("sort")),
    dir: params.get("dir") === "asc" ? "asc" : "desc",
    page: Number.isSafeInteger(page) && page > 0 ? page : 1,
    spam: params.get("spam") === "true",
  };
}

/** The query of a view; defaults are left out. */
export function writeView({ q, filter, sort, dir, page, spam }: View): URLSearchParams {
  const params = new URLSearchParams();
  if (q) params.set("q", q);
  if (filter !== "all") params.set("filter", filter);
  if (sort) {
    params.set("sort", sort);
    params.set("dir", dir);
  }
  if (page > 1) params.set("page", String(page));
  if (spam) params.set("spam", "true");
  return params;
}

/** True for all agents by score: the only view in which the row number is the rank. */
export const isRanking = ({ q, filter, sort, dir }: View): boolean =>
  q === "" && filter === "all" && (sort === null || (sort === "cred_score" && dir === "desc"));

/** First direction of a column: names ascending, numbers descending. */
const firstDir = (sort: Sort) => (sort === "name" || sort === "platform" ? "asc" : "desc");

/** The next of a header's three states: sorted, reversed, default. */
export function nextSort(view: View, sort: Sort): View {
  const first = firstDir(sort);
  if (view.sort !== sort) return { ...view, sort, dir: first, page: 1 };
  if (view.dir === first) return { ...view, dir: first === "asc" ? "desc" : "asc", page: 1 };
  return { ...view, sort: null, dir: "desc", page: 1 };
}
