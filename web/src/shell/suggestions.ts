/** What the list under the search field has for a text: agents by name, and agents by what they can do. */
import { useQuery } from "@tanstack/react-query";
import { useDeferredValue } from "react";
import type { DiscoveredHit, Row } from "../api/types.ts";
import { directory, rowLink } from "../directory/source.ts";
import { readView } from "../directory/view.ts";
import { canDo } from "../discover/can-do.ts";

const MAX_NAMED = 3;
const MAX_ABLE = 5;
/** Fewer letters name nothing that an agent does. */
const MIN_LETTERS = 2;

/** One line of the list, and where it leads. */
export type Suggestion = { key: string; to: string } & (
  | { kind: "named"; row: Row }
  | { kind: "task"; hit: DiscoveredHit }
  | { kind: "all"; q: string }
);

/**
 * The lines for a text: empty while nothing is known of it.
 * @param named false where the page itself lists agents by name
 */
export function useSuggestions(text: string, { open, named }: { open: boolean; named: boolean }): Suggestion[] {
  const q = useDeferredValue(text);
  const enabled = open && q.length >= MIN_LETTERS;
  const byName = useQuery({
    ...directory(readView(new URLSearchParams({ q: q.slice(0, 100) })), MAX_NAMED),
    enabled: enabled && named,
    refetchInterval: false,
  });
  const byTask = useQuery({ ...canDo(q, MAX_ABLE), enabled, retry: false });
  if (!enabled || text.length < MIN_LETTERS) return [];
  const rows = named ? (byName.data?.data.agents ?? []) : [];
  const hits = byTask.data?.data.hits ?? [];
  return [
    ...rows.map((row): Suggestion => ({ key: `named ${row.id}`, to: rowLink(row), kind: "named", row })),
    ...hits.map((hit): Suggestion => ({ key: `can ${hit.agent.id}`, to: rowLink(hit.agent), kind: "task", hit })),
    ...(hits.length > 0
      ? [{ key: "all", to: `/discover?q=${encodeURIComponent(q)}`, kind: "all", q } satisfies Suggestion]
      : []),
  ];
}
