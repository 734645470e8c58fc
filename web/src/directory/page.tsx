/** The directory: every agent known, in one table. */
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { Link, useLocation, useSearchParams } from "wouter";
import type { Directory } from "../api/types.ts";
import { Icon } from "../parts/icon.tsx";
import { Empty, Loading, ProblemNote } from "../parts/states.tsx";
import { ApiButton } from "../shell/api-button.tsx";
import { isTaken } from "../shell/keyboard.tsx";
import { store, toggleStored, useStored } from "../stored.ts";
import { age, count } from "../words.ts";
import { AgentCell, COLUMNS, CredCell, platformLabel, RowActions, TokenCell } from "./cells.tsx";
import { Filters } from "./filters.tsx";
import { useLiveRows } from "./live.ts";
import { directory, directoryPath, exportPath, type Row, rowLink } from "./source.ts";
import { Table } from "./table.tsx";
import { PAGE_SIZE, readView, type View, writeView } from "./view.ts";

const narrow = window.matchMedia("(max-width: 760px)");
const useNarrow = () =>
  useSyncExternalStore(
    (listener) => {
      narrow.addEventListener("change", listener);
      return () => narrow.removeEventListener("change", listener);
    },
    () => narrow.matches,
  );

export function DirectoryPage() {
  const [params, setParams] = useSearchParams();
  const view = readView(params);
  const key = writeView(view).toString();
  const change = (next: View) => setParams(writeView(next));
  const { data: answer, error, isPlaceholderData, refetch } = useQuery(directory(view));
  const data = answer?.data;
  const live = useLiveRows(data, key, isPlaceholderData);
  const isNarrow = useNarrow();
  const active = useRowKeys(live.rows, key);

  if (error && !data)
    return (
      <div className="page">
        <ProblemNote error={error} retry={() => void refetch()} />
      </div>
    );
  return (
    <div className="directory">
      <h1 className="unseen">Agent directory</h1>
      {data && <Totals stats={data.stats} />}
      <Filters view={view} change={change} />
      <Tools view={view} total={data?.total} answer={answer} failed={error !== null} />
      {(live.fresh > 0 || live.moved) && (
        <button type="button" className="pill" onClick={live.show}>
          {live.fresh > 0 ? `${live.fresh} new` : "Order changed"} · show
        </button>
      )}
      {!data ? (
        <Loading rows={12} />
      ) : live.rows.length === 0 ? (
        <Nothing view={view} change={change} />
      ) : isNarrow ? (
        <ul className="cards" aria-busy={isPlaceholderData}>
          {live.rows.map((row) => (
            <Card key={row.id} row={row} />
          ))}
        </ul>
      ) : (
        <Table
          rows={live.rows}
          total={data.total}
          view={view}
          active={active}
          dim={isPlaceholderData}
          change={change}
        />
      )}
      {data && data.total > PAGE_SIZE && <Pager view={view} total={data.total} change={change} />}
      <CompareBar />
    </div>
  );
}

function Totals({ stats }: { stats: Directory["stats"] }) {
  const items: [string, string][] = [
    ["Agents", count(stats.total)],
    ["Scored", count(stats.scored)],
    ["Average cred", stats.scored === 0 ? "—" : stats.avgScore.toFixed(1)],
    ["Take x402", count(stats.x402)],
  ];
  return (
    <dl className="totals">
      {items.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

type ToolsProps = {
  view: View;
  total: number | undefined;
  answer: { receivedAt: number; block: number | null } | undefined;
  failed: boolean;
};

function Tools({ view, total, answer, failed }: ToolsProps) {
  const density = useStored("density");
  const extra = useStored("extraColumns");
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick((n) => n + 1), 1000);
    return () => clearInterval(timer);
  }, []);
  return (
    <div className="tools">
      <p className="muted" role="status">
        {total === undefined ? "Loading" : `${count(total)} ${total === 1 ? "agent" : "agents"}`}
        {view.q && (
          <>
            {" "}
            for “<bdi>{view.q}</bdi>”
          </>
        )}
      </p>
      <p className="faint wide-only">
        {failed ? (
          <span className="warn-text">Updates have stopped, trying again</span>
        ) : (
          answer && (
            <>
              updated {age(new Date(answer.receivedAt).toISOString())} ago
              {answer.block !== null && ` · block ${count(answer.block)}`}
            </>
          )
        )}
      </p>
      <span className="actions push">
        <details className="menu wide-only">
          <summary className="button">Columns</summary>
          <div className="menu-body">
            {COLUMNS.filter((column) => column.extra).map(({ key, label }) => (
              <label key={key} className="check">
                <input
                  type="checkbox"
                  checked={extra.includes(key)}
                  onChange={() => toggleStored("extraColumns", key)}
                />
                {label}
              </label>
            ))}
          </div>
        </details>
        <button
          type="button"
          className="button wide-only"
          aria-pressed={density === "compact"}
          onClick={() => store("density", density === "compact" ? "comfortable" : "compact")}
        >
          <Icon name="rows" /> Compact
        </button>
        <a className="button wide-only" href={exportPath(view, "csv")} download>
          CSV
        </a>
        <ApiButton paths={[directoryPath(view), exportPath(view, "csv")]} />
      </span>
    </div>
  );
}

function Nothing({ view, change }: { view: View; change: (view: View) => void }) {
  const unfiltered = view.q === "" && view.filter === "all";
  if (view.page > 1)
    return (
      <Empty title="This page is past the end">
        <button type="button" className="button" onClick={() => change({ ...view, page: 1 })}>
          First page
        </button>
      </Empty>
    );
  return (
    <Empty title={unfiltered ? "No agents yet" : "No agent matches"}>
      {unfiltered ? (
        <p>
          The first one can be <Link href="/mint">registered</Link> now.
        </p>
      ) : (
        <>
          <p className="muted">Part of a name is enough; addresses and ids match from their beginning.</p>
          <button type="button" className="button" onClick={() => change({ ...view, q: "", filter: "all", page: 1 })}>
            Show all agents
          </button>
        </>
      )}
    </Empty>
  );
}

const Card = ({ row }: { row: Row }) => (
  <li className="card">
    <AgentCell row={row} />
    <RowActions row={row} />
    <div className="card-line">
      <CredCell row={row} />
      <span className="card-rest faint">
        {platformLabel(row.platform)}
        {row.x402_supported === 1 && " · x402"}
        {row.created_at && ` · ${age(row.created_at)} old`}
      </span>
    </div>
    {row.token_symbol && <TokenCell row={row} />}
  </li>
);

function Pager({ view, total, change }: { view: View; total: number; change: (view: View) => void }) {
  const pages = Math.ceil(total / PAGE_SIZE);
  const from = (view.page - 1) * PAGE_SIZE + 1;
  const to = (page: number) => () => change({ ...view, page });
  return (
    <nav className="pager" aria-label="Pages">
      <button type="button" className="button" disabled={view.page <= 1} onClick={to(1)}>
        First
      </button>
      <button type="button" className="button" disabled={view.page <= 1} onClick={to(view.page - 1)}>
        Previous
      </button>
      <span className="muted">
        {count(Math.min(from, total))}–{count(Math.min(from + PAGE_SIZE - 1, total))} of {count(total)}
      </span>
      <button type="button" className="button" disabled={view.page >= pages} onClick={to(view.page + 1)}>
        Next
      </button>
      <button type="button" className="button" disabled={view.page >= pages} onClick={to(pages)}>
        Last
      </button>
    </nav>
  );
}

function CompareBar() {
  const compared = useStored("compared");
  if (compared.length === 0) return null;
  return (
    <div className="compare-bar">
      <span>{compared.length} chosen</span>
      {compared.length > 1 ? (
        <Link className="button strong" href={`/compare?ids=${compared.slice(0, 4).join(",")}`}>
          Compare
        </Link>
      ) : (
        <span className="faint">choose one more</span>
      )}
      <button type="button" className="icon-button" aria-label="Choose none" onClick={() => store("compared", [])}>
        <Icon name="close" />
      </button>
    </div>
  );
}

/** j, k, Enter, s, c and f. @returns the row the keys are at, -1 before the first key */
function useRowKeys(rows: Row[], key: string): number {
  const [position, setPosition] = useState({ key, index: -1 });
  const [, go] = useLocation();
  const index = position.key === key ? position.index : -1;
  const state = useRef({ rows, index, key });
  state.current = { rows, index, key };
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (isTaken(event)) return;
      const { rows, index, key } = state.current;
      const row = rows[index];
      const step = event.key === "j" ? 1 : event.key === "k" ? -1 : 0;
      const onControl = event.target instanceof Element && event.target.closest("a, button, summary") !== null;
      if (step !== 0) setPosition({ key, index: Math.max(0, Math.min(rows.length - 1, index + step)) });
      else if (event.key === "f") document.querySelector<HTMLButtonElement>("#filters button")?.focus();
      else if (!row) return;
      else if (event.key === "Enter" && !onControl) go(rowLink(row));
      else if (event.key === "s") toggleStored("watched", rowLink(row));
      else if (event.key === "c" && row.token_id !== null && row.platform === "helixa")
        toggleStored("compared", String(row.token_id));
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [go]);
  return index;
}
