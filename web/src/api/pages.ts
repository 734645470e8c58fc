/** Lists of the API that come in pages, each on demand: an answer says itself where the next one begins. */
import { infiniteQueryOptions } from "@tanstack/react-query";
import { call } from "./answer.ts";

type Cursor = string | number | null;

/**
 * @param path with its query
 * @param cursor the parameter by which the next page is asked for
 * @param next the cursor of the page after this one; null: there is none
 */
export const pagesOf = <Page>(path: string, cursor: "after" | "before" | "cursor", next: (page: Page) => Cursor) =>
  infiniteQueryOptions({
    queryKey: [path],
    queryFn: ({ pageParam, signal }) =>
      call<Page>(pageParam === null ? path : `${path}&${cursor}=${pageParam}`, { signal }),
    initialPageParam: null as Cursor,
    getNextPageParam: ({ data }) => next(data),
  });
