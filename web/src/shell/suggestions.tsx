/** The list under the search field: agents by name, and agents by what they can do. */

import { useQuery } from "@tanstack/react-query";
import { useDeferredValue } from "react";
import type { DiscoveredHit, Row } from "../api/types.ts";
import { directory, rowLink } from "../directory/source.ts";
import { readView } from "../directory/view.ts";
import { canDo } from "../discover/can-do.ts";
import { Icon } from "../parts/icon.tsx";
import { Marked } from "../parts/marked.tsx";
import { Sigil } from "../parts/sigil.tsx";
import { tierOf } from "../tiers.ts";

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

type Props = {
  /** DOM id of the list; a line has this id plus its index. */
  id: string;
  items: Suggestion[];
  active: number;
  choose: (item: Suggestion) => void;
  point: (key: string) => void;
};

const TITLES = { named: "By name", task: "Can do" } as const;

export function Suggestions({ id, items, active, choose, point }: Props) {
  const line = (item: Suggestion) => {
    const i = items.indexOf(item);
    return (
      // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys
      // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus
      <div
        key={item.key}
        id={`${id}${i}`}
        role="option"
        aria-selected={i === active}
        className="suggestion"
        // The field keeps the focus, so that the list stays until the click has arrived.
        onMouseDown={(event) => event.preventDefault()}
        onClick={() => choose(item)}
        onMouseMove={() => i !== active && point(item.key)}
      >
        <Line item={item} />
      </div>
    );
  };
  const groups = (["named", "task"] as const).map(
    (kind) => [kind, items.filter((item) => item.kind === kind)] as const,
  );
  return (
    <div className="suggestions" role="listbox" id={id} aria-label="Agents by name and by what they can do">
      {groups.map(
        ([kind, members]) =>
          members.length > 0 && (
            // biome-ignore lint/a11y/useSemanticElements: options are in groups of a listbox
            <div key={kind} role="group" aria-label={TITLES[kind]}>
              <div className="suggestions-title" aria-hidden="true">
                {TITLES[kind]}
              </div>
              {members.map(line)}
            </div>
          ),
      )}
      {items.filter(({ kind }) => kind === "all").map(line)}
    </div>
  );
}

function Line({ item }: { item: Suggestion }) {
  if (item.kind === "all")
    return (
      <>
        <Icon name="go" />
        <span className="clip">
          All that can do “<bdi>{item.q}</bdi>”
        </span>
      </>
    );
  const row = item.kind === "named" ? item.row : item.hit.agent;
  const where = item.kind === "task" ? item.hit.highlights.find(({ field }) => field !== "name") : undefined;
  const name = item.kind === "task" ? item.hit.highlights.find(({ field }) => field === "name") : undefined;
  const described = row.description ?? "";
  return (
    <>
      <Sigil seed={`${row.platform}:${row.agent_id}`} score={row.cred_score} size={28} />
      <span className="agent-words">
        <b className="clip">{name ? <Marked {...name} /> : <bdi>{row.name || "Unnamed"}</bdi>}</b>
        <span className="muted clip">{where ? <Marked {...where} /> : <bdi>{described}</bdi>}</span>
      </span>
      <span className="suggestion-score" data-tier={tierOf(row.cred_score).key}>
        <span className="unseen">cred </span>
        {row.cred_score}
      </span>
    </>
  );
}
