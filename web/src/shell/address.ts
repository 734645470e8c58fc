/** The page's address, read from the browser itself: the router unescapes it once, after which `%2F` in an agent's id and `%25` in a search are others. */
import { useMemo } from "react";
import { useLocation, useSearch } from "wouter";

type Query = URLSearchParams | Record<string, string>;

/** The query of the address, and a way to another one on the same page. */
export function useSearchParams(): [URLSearchParams, (next: Query) => void] {
  const [, go] = useLocation();
  // Renders again when the query changes; what it says is read below.
  const changed = useSearch();
  const params = useMemo(() => new URLSearchParams(location.search), [changed]);
  const set = (next: Query) => {
    const query = new URLSearchParams(next).toString();
    go(location.pathname + (query && `?${query}`));
  };
  return [params, set];
}

/** The part of the path after the view, as it was before it was escaped. */
export function addressRef(): string {
  const escaped = location.pathname.split("/")[2] ?? "";
  try {
    return decodeURIComponent(escaped);
  } catch {
    return escaped;
  }
}
