/** The tools above the table: totals, freshness, columns, saved views, exports. */
import { useEffect, useRef, useState } from "react";
import { Link } from "wouter";
import { connected } from "../api/events.ts";
import type { Directory } from "../api/types.ts";
import { age, count, counted, decimals } from "../formats.ts";
import { Button, Icon, IconButton, Menu } from "../parts/button.tsx";
import { Fact } from "../parts/panel.tsx";
import { ApiButton } from "../shell/api-button.tsx";
import { store, toggleStored, useStored } from "../stored.ts";
import { CHOOSABLE, shownColumns } from "./cells.tsx";
import { directoryPath, exportPath } from "./source.ts";
import { presetOf, type View, writeView } from "./view.ts";

/** @param stats undefined while they are loaded: their places are there */
export function Totals({ stats }: { stats: Directory["stats"] | undefined }) {
  const items: [string, string | undefined][] = [
    ["Agents", stats && count(stats.total)],
    ["Scored", stats && count(stats.scored)],
    ["Average cred", stats && (stats.scored === 0 ? "—" : decimals(stats.avgScore, 1))],
    ["Take x402 payments", stats && count(stats.x402)],
  ];
  return (
    <dl className="totals" aria-busy={!stats}>
      {items.map(([label, value]) => (
        <Fact key={label} label={label}>
          {value ?? "\u00a0"}
        </Fact>
      ))}
    </dl>
  );
}

type Props = {
  view: View;
  total: number | undefined;
  hidden: number;
  fresh: { at: number; block: number | null } | null;
  failed: boolean;
  change: (view: View) => void;
};

export function Tools({ view, total, hidden, fresh, failed, change }: Props) {
  const density = useStored("density");
  const watched = view.filter === "watched";
  return (
    <div className="tools">
      <p className="muted" role="status">
        {total === undefined ? "Loading" : counted(total, "agent", "agents")}
        {view.q && (
          <>
            {" "}
            for “<bdi>{view.q}</bdi>”
          </>
        )}
      </p>
      <Freshness fresh={fresh} failed={failed} />
      {(hidden > 0 || view.spam) && (
        <button type="button" className="link-button" onClick={() => change({ ...view, spam: !view.spam })}>
          {view.spam ? "Hide names like “aaaa”" : `${count(hidden)} hidden as spam · show`}
        </button>
      )}
      <span className="actions push">
        <Presets view={view} />
        <Columns />
        <button
          type="button"
          className="button wide-only"
          aria-pressed={density === "compact"}
          onClick={() => store("density", density === "compact" ? "comfortable" : "compact")}
        >
          <Icon name="rows" /> Compact
        </button>
        {!watched && (
          <Menu label="Export">
            {(["csv", "json"] as const).map((format) => (
              <a key={format} className="menu-item" href={exportPath(view, format)} download>
                {format.toUpperCase()} <span className="faint">up to {counted(10_000, "row", "rows")}</span>
              </a>
            ))}
          </Menu>
        )}
        {!watched && <ApiButton paths={[directoryPath(view), exportPath(view, "csv")]} />}
      </span>
    </div>
  );
}

function Freshness({ fresh, failed }: Pick<Props, "fresh" | "failed">) {
  const live = connected.use();
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick((n) => n + 1), 1000);
    return () => clearInterval(timer);
  }, []);
  if (failed) return <p className="warn-text">Updates have stopped, trying again</p>;
  if (!fresh) return null;
  return (
    <p className="faint wide-only freshness">
      <span
        className="live-dot"
        data-live={live || undefined}
        title={live ? "Changes arrive as they happen" : "Read again every few seconds"}
      />
      updated {age(new Date(fresh.at).toISOString())} ago
      {fresh.block !== null && ` · block ${count(fresh.block)}`}
    </p>
  );
}

function Columns() {
  const others = useStored("otherColumns");
  const shown = new Set(shownColumns(others).map(({ key }) => key));
  return (
    <Menu label="Columns" className="wide-only">
      {CHOOSABLE.map(({ key, label }) => (
        <label key={key} className="menu-item check">
          <input type="checkbox" checked={shown.has(key)} onChange={() => toggleStored("otherColumns", key)} />
          {label}
        </label>
      ))}
    </Menu>
  );
}

function Presets({ view }: { view: View }) {
  const presets = useStored("presets");
  const query = writeView({ ...view, page: 1 }).toString();
  const field = useRef<HTMLInputElement>(null);
  const save = () => {
    const name = field.current!.value.trim().replaceAll(/\s+/g, " ");
    if (!name) return;
    store("presets", [...presets.filter((text) => presetOf(text).name !== name), `${query} ${name}`]);
    field.current!.value = "";
  };
  return (
    <Menu label="Views">
      {presets.length === 0 && <p className="menu-note faint">Filter, search and sort, then save the view here.</p>}
      {presets.map((text) => {
        const preset = presetOf(text);
        return (
          <span key={text} className="menu-row">
            <Link
              className="menu-item"
              href={preset.query ? `/?${preset.query}` : "/"}
              aria-current={preset.query === query || undefined}
            >
              <bdi>{preset.name}</bdi>
            </Link>
            <IconButton icon="close" label={`Forget ${preset.name}`} onClick={() => toggleStored("presets", text)} />
          </span>
        );
      })}
      <form
        className="menu-save"
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <input
          className="field"
          ref={field}
          maxLength={40}
          aria-label="Name of this view"
          placeholder="Name of this view"
        />
        <Button type="submit">Save</Button>
      </form>
    </Menu>
  );
}
