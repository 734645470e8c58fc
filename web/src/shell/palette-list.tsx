/** The opened command palette: finds agents, views and settings by a few letters. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type KeyboardEvent, useDeferredValue, useEffect, useId, useState } from "react";
import { useLocation } from "wouter";
import { platformLabel } from "../directory/facets.ts";
import { directory, rowLink } from "../directory/source.ts";
import { presetOf, readView } from "../directory/view.ts";
import { short } from "../formats.ts";
import { Icon } from "../parts/button.tsx";
import { Cred, Sigil } from "../parts/cred.tsx";
import { store, useStored } from "../stored.ts";
import { TIERS } from "../tiers.ts";
import { useModal } from "./dialog.tsx";
import { PLACES } from "./places.ts";
import { kindOf, opens, refOf } from "./search-box.tsx";

type Item = {
  key: string;
  label: string;
  hint?: string;
  icon: React.ReactNode;
  end?: React.ReactNode;
  run: () => void;
};

export default function PaletteList({ close }: { close: () => void }) {
  const dialog = useModal();
  const [text, setText] = useState("");
  // By its key: what arrives later must not move the choice. null: the first.
  const [at, setAt] = useState<string | null>(null);
  const id = useId();
  const items = useItems(text.trim());
  const active = Math.max(
    0,
    items.findIndex(({ key }) => key === at),
  );
  useEffect(() => {
    document.getElementById(`${id}${active}`)?.scrollIntoView({ block: "nearest" });
  }, [active, id]);
  const choose = (item: Item | undefined) => {
    if (!item) return;
    close();
    item.run();
  };
  const onKey = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      setAt(items[(active + step + items.length) % items.length]?.key ?? null);
    } else if (event.key === "Enter") {
      event.preventDefault();
      choose(items[active]);
    }
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog by itself
    <dialog
      ref={dialog}
      className="palette"
      aria-label="Everything"
      onClose={close}
      onClick={(event) => event.target === dialog.current && close()}
    >
      <div className="palette-field">
        <Icon name="search" />
        <input
          type="text"
          role="combobox"
          aria-expanded={true}
          aria-controls={id}
          aria-activedescendant={items.length > 0 ? `${id}${active}` : undefined}
          aria-autocomplete="list"
          aria-label="Search agents, views and settings"
          placeholder="An agent, an address, a view, a setting"
          maxLength={100}
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setAt(null);
          }}
          onKeyDown={onKey}
        />
        <kbd>Esc</kbd>
      </div>
      <Found id={id} items={items} active={active} choose={choose} point={setAt} />
      {items.length === 0 && <p className="palette-none muted">Nothing is called that.</p>}
    </dialog>
  );
}

type FoundProps = {
  /** DOM id of the list; an option has this id plus its index. */
  id: string;
  items: Item[];
  active: number;
  choose: (item: Item) => void;
  point: (key: string) => void;
};

const Found = ({ id, items, active, choose, point }: FoundProps) => (
  <div role="listbox" id={id} aria-label="Found" className="palette-list">
    {items.map((item, i) => (
      // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys
      // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus
      <div
        key={item.key}
        id={`${id}${i}`}
        role="option"
        aria-selected={i === active}
        className="palette-item"
        onClick={() => choose(item)}
        onMouseMove={() => i !== active && point(item.key)}
      >
        {item.icon}
        <span className="clip">
          <bdi>{item.label}</bdi>
        </span>
        {item.hint && <span className="faint clip">{item.hint}</span>}
        <span className="push">{item.end}</span>
      </div>
    ))}
  </div>
);

/** The items for a text: the agent with this id or address, agents whose name contains it, then commands of this page. */
function useItems(text: string): Item[] {
  const [, go] = useLocation();
  const query = useDeferredValue(text);
  const found = useQuery({
    ...directory(readView(new URLSearchParams({ q: query })), 8),
    enabled: query !== "",
    placeholderData: keepPreviousData,
    refetchInterval: false,
  });
  const commands = useCommands().filter(({ label, hint }) =>
    text
      .toLowerCase()
      .split(/\s+/)
      .every((word) => `${label} ${hint ?? ""}`.toLowerCase().includes(word)),
  );
  if (text === "") return commands;
  const direct: Item[] = opens(text)
    ? [
        {
          key: "direct",
          label: kindOf(text) === "id" ? `Open agent #${refOf(text)}` : `Open the agent of ${short(text)}`,
          icon: <Icon name="go" />,
          run: () => go(`/agent/${refOf(text)}`),
        },
      ]
    : [];
  const agents: Item[] = (found.data?.data.agents ?? []).map((row) => ({
    key: `agent ${row.id}`,
    label: row.name || "Unnamed",
    hint: `${platformLabel(row.platform)} · ${short(row.agent_id)}`,
    icon: <Sigil seed={`${row.platform}:${row.agent_id}`} score={row.cred_score} size={24} />,
    end: <Cred score={row.cred_score} />,
    run: () => go(rowLink(row)),
  }));
  const all: Item = {
    key: "all",
    label: `All agents for “${text}”`,
    icon: <Icon name="search" />,
    run: () => go(`/?q=${encodeURIComponent(text)}`),
  };
  return [...direct, ...agents, ...(agents.length > 0 ? [all] : []), ...commands];
}

function useCommands(): Item[] {
  const [, go] = useLocation();
  const theme = useStored("theme");
  const density = useStored("density");
  const presets = useStored("presets").map(presetOf);
  const filters = [
    ["trending", "Trending agents"],
    ["gainers", "Agents whose token gained in 24 hours"],
    ["losers", "Agents whose token lost in 24 hours"],
    ["new", "New agents"],
    ["x402", "Agents that take x402"],
    ["watched", "Watched agents"],
    ...TIERS.map(({ key, label }) => [key, `${label} agents`]),
  ] as [string, string][];
  return [
    ...PLACES.map(({ to, label, key }) => ({
      key: to,
      label,
      hint: "view",
      icon: <Icon name="go" />,
      end: (
        <>
          <kbd>g</kbd> <kbd>{key}</kbd>
        </>
      ),
      run: () => go(to),
    })),
    ...presets.map(({ query, name }) => ({
      key: `preset ${name}`,
      label: name,
      hint: "saved view",
      icon: <Icon name="star" />,
      run: () => go(query ? `/?${query}` : "/"),
    })),
    ...filters.map(([filter, label]) => ({
      key: filter,
      label,
      hint: "filter",
      icon: <Icon name={filter === "watched" ? "star" : "agent"} />,
      run: () => go(`/?filter=${filter}`),
    })),
    ...(["dark", "light", "auto"] as const)
      .filter((other) => other !== theme)
      .map((other) => ({
        key: `theme ${other}`,
        label: other === "auto" ? "Theme of the system" : other === "dark" ? "Dark theme" : "Light theme",
        hint: "theme",
        icon: <Icon name={other === "auto" ? "auto" : other === "dark" ? "moon" : "sun"} />,
        run: () => store("theme", other),
      })),
    {
      key: "density",
      label: density === "compact" ? "Comfortable rows" : "Compact rows",
      hint: "density",
      icon: <Icon name="rows" />,
      run: () => store("density", density === "compact" ? "comfortable" : "compact"),
    },
  ];
}
