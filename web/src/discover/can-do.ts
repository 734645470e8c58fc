/** The first agents that can do what a text says, for the search field: asked for on every page, so it needs nothing of the view of discovery. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { get } from "../api/answer.ts";
import type { DiscoveryAnswer } from "../api/types.ts";

export const MAX_QUERY_LENGTH = 300;

export const canDo = (q: string, limit: number) =>
  queryOptions({
    queryKey: ["can-do", q, limit],
    // While one types, each letter would be a question to the provider of embeddings.
    queryFn: get<DiscoveryAnswer>(
      `/api/v2/discover?${new URLSearchParams({ q: q.slice(0, MAX_QUERY_LENGTH), limit: String(limit), meaning: "false" })}`,
    ),
    staleTime: 30_000,
    placeholderData: keepPreviousData,
  });
