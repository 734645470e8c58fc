/** What was typed into a form and not saved yet: kept in the tab, so that a reload loses nothing. */
import { useState } from "react";
import { keep, kept } from "../stored.ts";

/** @param name of the form and its subject, `words.7` @returns the draft, null without one, and how it is changed */
export function useDraft<T>(name: string): [draft: T | null, change: (next: T | null) => void] {
  const key = `draft.${name}`;
  const [draft, set] = useState(() => kept<T>("tab", key));
  const change = (next: T | null) => {
    keep("tab", key, next);
    set(next);
  };
  return [draft, change];
}
