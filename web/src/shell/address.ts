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

/** A part of the path, by default the one after the view, unescaped once; empty without one. */
export function addressRef(part = 2): string {
  const escaped = location.pathname.split("/")[part] ?? "";
  try {
    return decodeURIComponent(escaped);
  } catch {
    return escaped;
  }
}
