/** What of the directory is shown, and its one place: the query of the page's address. Reloading or sharing it shows the same. */
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
  /** Names that are no names are shown, too. */
  spam: boolean;
};

/** The most the API answers at once. */
export const PAGE_SIZE = 100;

const oneOf = <T extends string>(words: readonly T[], text: string | null): T | null =>
  words.find((word) => word === text) ?? null;

/** Reads a view back; what makes no sense is left out, as if it had not been written. */
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

/** The query of a view; what is as usual is not written. */
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

/** Everybody in the order of their scores: the only view in which a place is a rank. */
export const isRanking = ({ q, filter, sort, dir }: View): boolean =>
  q === "" && filter === "all" && (sort === null || (sort === "cred_score" && dir === "desc"));

/** The way a column sorts first: names from A, numbers from the greatest. */
const firstDir = (sort: Sort) => (sort === "name" || sort === "platform" ? "asc" : "desc");

/** The next of a header's three states: sorted, the other way round, as usual. */
export function nextSort(view: View, sort: Sort): View {
  const first = firstDir(sort);
  if (view.sort !== sort) return { ...view, sort, dir: first, page: 1 };
  if (view.dir === first) return { ...view, dir: first === "asc" ? "desc" : "asc", page: 1 };
  return { ...view, sort: null, dir: "desc", page: 1 };
}
