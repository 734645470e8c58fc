/** The page's address, read from `window.location`: the router unescapes it once more, which breaks `%2F` in an agent's id and `%25` in a search. */
import { useMemo } from "react";
import { useLocation, useSearch } from "wouter";

type Query = URLSearchParams | Record<string, string>;

/** The query parameters of the address, and a setter that stays on the page. */
export function useSearchParams(): [URLSearchParams, (next: Query) => void] {
  const [, go] = useLocation();
  // Renders again when the query changes; the value is read below.
  const changed = useSearch();
  const params = useMemo(() => new URLSearchParams(location.search), [changed]);
  const set = (next: Query) => {
    const query = new URLSearchParams(next).toString();
    go(location.pathname + (query && `?${query}`));
  };
  return [params, set];
}

/** The part of the path after the view, unescaped once. */
export function addressRef(): string {
  const escaped = location.pathname.split("/")[2] ?? "";
  try {
    return decodeURIComponent(escaped);
  } catch {
    return escaped;
  }
}
