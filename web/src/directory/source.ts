/** Where the directory's rows come from: the terminal's list. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { get } from "../api/answer.ts";
import { LIVE_MS } from "../api/queries.ts";
import type { Directory, Row } from "../api/types.ts";
import { type Filter, PAGE_SIZE, type View } from "./view.ts";

export type { Directory, Row };

/** The exact call behind a view. */
export function directoryPath({ q, filter, sort, dir, page }: View, limit = PAGE_SIZE): string {
  const params = new URLSearchParams({ limit: String(limit) });
  if (page > 1) params.set("page", String(page));
  if (filter !== "all") params.set("filter", filter);
  if (sort) {
    params.set("sort", sort);
    params.set("dir", dir.toUpperCase());
  }
  if (q) params.set("q", q);
  return `/api/terminal/agents?${params}`;
}

export const directory = (view: View) =>
  queryOptions({
    queryKey: ["directory", view],
    queryFn: get<Directory>(directoryPath(view)),
    refetchInterval: LIVE_MS,
    placeholderData: keepPreviousData,
  });

/** How many agents a filter lets through, under the same search. */
export const filterCount = (filter: Filter, q: string) =>
  queryOptions({
    queryKey: ["directory-count", filter, q],
    queryFn: async (asked) => {
      const { data } = await get<Directory>(directoryPath({ q, filter, sort: null, dir: "desc", page: 1 }, 1))(asked);
      return data.total;
    },
    staleTime: 30_000,
    refetchInterval: 60_000,
  });

/** The whole of a view as a file, up to the most that the API hands out. */
export const exportPath = (view: View, format: "csv" | "json"): string => {
  const query = new URLSearchParams(directoryPath({ ...view, page: 1 }).split("?")[1]);
  query.delete("limit");
  return `/api/terminal/agents.${format}${query.size > 0 ? `?${query}` : ""}`;
};

/** The page of a row: identities have one each, agents of other registries share a view. */
export const rowLink = (row: Row): string =>
  row.platform === "helixa" && row.token_id !== null
    ? `/agent/${row.token_id}`
    : `/terminal/${encodeURIComponent(row.address ?? row.agent_id)}`;
