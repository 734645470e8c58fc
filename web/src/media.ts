/** Media queries as state. */
import { useSyncExternalStore } from "react";

/** @returns whether the query holds now; renders again when that changes */
export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      const media = window.matchMedia(query);
      media.addEventListener("change", listener);
      return () => media.removeEventListener("change", listener);
    },
    () => window.matchMedia(query).matches,
  );
}
