/** The search field of every view: filters the directory while one types, and lists agents that can do what is typed; Enter on an id or an address opens that agent. */

import { useQuery } from "@tanstack/react-query";
import { type KeyboardEvent, useDeferredValue, useEffect, useId, useRef, useState } from "react";
import { useLocation } from "wouter";
import { readOwnTokenRef } from "../../../core/directory/platforms.ts";
import { directory, rowLink } from "../directory/source.ts";
import { readView } from "../directory/view.ts";
import { canDo } from "../discover/can-do.ts";
import { Icon } from "../parts/button.tsx";
import { partOnDemand } from "../parts/states.tsx";
import { useSearchParams } from "./address.ts";
import type { Suggestion } from "./suggestion-list.tsx";

/** What can do what is typed. The field works without it. */
const SuggestionList = partOnDemand(() => import("./suggestion-list.tsx"), { instead: () => null });

const PAUSE_MS = 180;

/** The kind of a search text: a token id (`7`, `helixa-7`), an address or the beginning of one, or part of a name. */
export function kindOf(text: string): "id" | "address" | "name" | null {
  if (text === "") return null;
  if (/^(0|[1-9]\d{0,14})$/.test(text) || readOwnTokenRef(text) !== null) return "id";
  return /^0x[0-9a-f]{0,40}$/i.test(text) ? "address" : "name";
}
/** True when a text names exactly one agent. */
export const opens = (text: string) => kindOf(text) === "id" || /^0x[0-9a-f]{40}$/i.test(text);
/** The reference in the URL of the agent's page. */
export const refOf = (text: string): string => String(readOwnTokenRef(text) ?? text);

/** The text of the field. On the directory it is the query of the address, and typing filters the table. */
function useText() {
  const [path, go] = useLocation();
  const [params] = useSearchParams();
  const onDirectory = path === "/" || path === "/terminal";
  const asked = onDirectory ? (params.get("q") ?? "") : "";
  const [text, setText] = useState(asked);
  const waiting = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => setText(asked), [asked]);

  const show = (value: string) => {
    clearTimeout(waiting.current);
    const query = new URLSearchParams(onDirectory ? params : undefined);
    query.delete("page");
    if (value.trim()) query.set("q", value.trim());
    else query.delete("q");
    go(query.size > 0 ? `/?${query}` : "/", { replace: onDirectory });
  };
  const change = (value: string) => {
    setText(value);
    clearTimeout(waiting.current);
    if (onDirectory) waiting.current = setTimeout(() => show(value), PAUSE_MS);
  };
  const leave = (to: string) => {
    clearTimeout(waiting.current);
    go(to);
  };
  return { text, onDirectory, show, change, leave };
}

const MAX_NAMED = 3;
const MAX_ABLE = 5;
/** Fewer letters name nothing that an agent does. */
const MIN_LETTERS = 2;

/**
 * The lines for a text: empty while nothing is known of it.
 * @param named false where the page itself lists agents by name
 */
function useSuggestions(text: string, { open, named }: { open: boolean; named: boolean }): Suggestion[] {
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

export function SearchBox() {
  const { text, onDirectory, show, change, leave } = useText();
  const value = text.trim();
  const kind = kindOf(value);
  const list = useId();
  const [focused, setFocused] = useState(false);
  // The list is about what one types, not about a text that the address brought.
  const [typed, setTyped] = useState(false);
  // By its key: lines that arrive later must not move the choice to another agent.
  const [at, setAt] = useState<string | null>(null);
  const open = focused && typed && kind === "name";
  const items = useSuggestions(value, { open, named: !onDirectory });
  const active = items.findIndex(({ key }) => key === at);
  const choose = (item: Suggestion) => {
    setTyped(false);
    leave(item.to);
  };
  const submit = () => {
    const item = items[active];
    setTyped(false);
    if (item) choose(item);
    else if (opens(value)) leave(`/agent/${refOf(value)}`);
    else show(text);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0 && items.length > 0) {
      event.preventDefault();
      // -1 is the field itself: Enter then searches for the text.
      setAt(items[((active + 1 + step + items.length + 1) % (items.length + 1)) - 1]?.key ?? null);
    } else if (event.key === "Escape") {
      if (!text) return event.currentTarget.blur();
      change("");
      // Elsewhere the field says nothing about what is shown, and emptying it leads nowhere.
      if (onDirectory) show("");
    }
  };
  return (
    <search className="search-place">
      <form
        className="search"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <Icon name="search" />
        <input
          id="search"
          type="search"
          role="combobox"
          aria-expanded={items.length > 0}
          aria-controls={items.length > 0 ? list : undefined}
          aria-activedescendant={active >= 0 ? `${list}${active}` : undefined}
          aria-autocomplete="list"
          aria-label="Search agents by name, address, id or what they can do"
          placeholder="Name, address, id or task"
          maxLength={100}
          autoComplete="off"
          spellCheck={false}
          value={text}
          onFocus={() => setFocused(true)}
          onBlur={() => setFocused(false)}
          onChange={(event) => {
            setTyped(true);
            setAt(null);
            change(event.target.value);
          }}
          onKeyDown={onKeyDown}
        />
        <Kind of={value} />
      </form>
      {open && <SuggestionList id={list} items={items} active={active} choose={choose} point={setAt} />}
    </search>
  );
}

/** What the text is taken for, and whether Enter opens an agent. */
function Kind({ of }: { of: string }) {
  const kind = kindOf(of);
  return (
    <span className="kind">
      {kind === null ? (
        <kbd>/</kbd>
      ) : (
        <>
          {kind}
          {opens(of) && <kbd>↵</kbd>}
        </>
      )}
    </span>
  );
}
