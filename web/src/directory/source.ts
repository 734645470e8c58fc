/** The queries behind the directory's rows. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { directoryLink } from "../../../core/directory/link.ts";
import { OWN_PLATFORM } from "../../../core/directory/platforms.ts";
import { get } from "../api/answer.ts";
import { liveEvery } from "../api/events.ts";
import { asked } from "../api/queries.ts";
import type { Counts, Detail, Directory, Offering, Row, RowBadges } from "../api/types.ts";
import { PAGE_SIZE, type View, writeFacets } from "./view.ts";

export type { Directory, Row };

/** A row with its place in the view, from 1, and its badges, which a second request loads. */
export type BadgedRow = Row & { place: number; badges: RowBadges | undefined };

/** The API path of a view. */
export function directoryPath(view: Omit<View, "spam">, limit = PAGE_SIZE): string {
  const { q, filter, window, facets, sort, dir, page } = view;
  const params = new URLSearchParams({ limit: String(limit) });
  if (page > 1) params.set("page", String(page));
  if (filter !== "all" && filter !== "watched") params.set("filter", filter);
  if (filter === "trending" && window !== "24h") params.set("window", window);
  writeFacets(params, facets);
  if (sort) {
    params.set("sort", sort);
    params.set("dir", dir.toUpperCase());
  }
  if (q) params.set("q", q);
  return `/api/terminal/agents?${params}`;
}

export const directory = (view: View, limit = PAGE_SIZE) =>
  queryOptions({
    queryKey: ["directory", directoryPath(view, limit)],
    queryFn: get<Directory>(directoryPath(view, limit)),
    enabled: view.filter !== "watched",
    ...liveEvery(),
    placeholderData: keepPreviousData,
  });

/** Number of agents under each filter of a view. */
export const countsOf = (view: View) => {
  const { searchParams } = new URL(directoryPath({ ...view, filter: "trending", sort: null, page: 1 }), "http://api");
  for (const name of ["limit", "filter"]) searchParams.delete(name);
  const path = `/api/terminal/counts?${searchParams}`;
  return queryOptions({
    queryKey: [path],
    queryFn: async (context) => (await get<Counts>(path)(context)).data.counts,
    staleTime: 30_000,
    refetchInterval: 60_000,
    placeholderData: keepPreviousData,
  });
};

/** Number of agents in a view. */
export const totalOf = (view: View) => {
  const path = directoryPath({ ...view, sort: null, page: 1 }, 1);
  return queryOptions({
    queryKey: ["directory-count", path],
    queryFn: async (context) => (await get<Directory>(path)(context)).data.total,
    staleTime: 30_000,
    refetchInterval: 60_000,
  });
};

/** URL of the whole view as a file, up to the export limit of the API. */
export const exportPath = (view: View, format: "csv" | "json"): string => {
  const query = new URLSearchParams(directoryPath({ ...view, page: 1 }).split("?")[1]);
  query.delete("limit");
  return `/api/terminal/agents.${format}${query.size > 0 ? `?${query}` : ""}`;
};

export const badgesPath = (ids: readonly number[]): string => `/api/terminal/badges?ids=${ids.join(",")}`;
export const badges = (ids: readonly number[]) =>
  queryOptions({
    queryKey: ["badges", ids],
    queryFn: get<{ marks: RowBadges[] }>(badgesPath(ids)),
    ...liveEvery(3),
    placeholderData: keepPreviousData,
    enabled: ids.length > 0,
  });

export const detailPath = (ref: string, platform: string | null): string =>
  `/api/terminal/agent/${encodeURIComponent(ref)}${platform ? `?platform=${platform}` : ""}`;
export const detail = (ref: string, platform: string | null) => asked<Detail>(detailPath(ref, platform));

export const offering = (ref: string, platform: string) =>
  asked<Offering>(`/api/terminal/agent/${encodeURIComponent(ref)}/offers?platform=${platform}`);

export const rowLink = ({ platform, agent_id: agentId }: Pick<Row, "platform" | "agent_id">): string =>
  directoryLink("", { platform, agentId });

/** The agent behind a link of above; null for any other text. */
export function linkedAgent(link: string): { ref: string; platform: string } | null {
  const [, place, ref, platform] = /^\/(agent|terminal)\/([^/?]+)(?:\?platform=([\w-]+))?$/.exec(link) ?? [];
  if (place === "agent") return { ref: ref!, platform: OWN_PLATFORM };
  return platform ? { ref: decodeURIComponent(ref!), platform } : null;
}
