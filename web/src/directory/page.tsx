/** The directory: every agent known, in one table. */
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { Link, useLocation } from "wouter";
import { isSpam } from "../../../core/spam.ts";
import { status } from "../api/queries.ts";
import { Icon } from "../parts/icon.tsx";
import { Empty, Loading, ProblemNote } from "../parts/states.tsx";
import { useSearchParams } from "../shell/address.ts";
import { isTaken } from "../shell/keyboard.tsx";
import { store, stored, toggleStored, useStored } from "../stored.ts";
import { age, count } from "../words.ts";
import { AgentCell, CredCell, ProofsCell, platformLabel, RowActions, TokenCell } from "./cells.tsx";
import { Filters } from "./filters.tsx";
import { useLiveRows } from "./live.ts";
import { directory, type MarkedRow, marks, rowLink } from "./source.ts";
import { Table } from "./table.tsx";
import { Tools, Totals } from "./tools.tsx";
import { PAGE_SIZE, readView, type View, writeView } from "./view.ts";
import { useWatched } from "./watched.ts";

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
  const { data: chain } = useQuery(status);
  const isWatched = view.filter === "watched";
  const watched = useWatched(isWatched ? view : null);
  // Watched rows are fetched one by one; the totals stay those of the whole directory.
  const everybody = useQuery({ ...directory(readView(new URLSearchParams()), 1), enabled: isWatched });
  const stats = (isWatched ? everybody.data?.data : data)?.stats;
  const live = useLiveRows(data, key, isPlaceholderData);
  const known = isWatched ? watched.rows : live.rows;
  // Hidden rows keep their place.
  const placed = known.map((row, i) => ({ ...row, place: (view.page - 1) * PAGE_SIZE + i + 1 }));
  const shown = view.spam || isWatched || view.q !== "" ? placed : placed.filter(({ name }) => !isSpam(name));
  const marksOf = useMarks(shown.map(({ id }) => id));
  const rows: MarkedRow[] = shown.map((row) => ({ ...row, marks: marksOf.get(row.id) }));
  const isNarrow = useNarrow();
  const active = useRowKeys(rows, key);
  const loaded = isWatched ? rows.length > 0 || !watched.loading : data !== undefined;
  const total = isWatched ? rows.length : data?.total;
  const dim = !isWatched && isPlaceholderData;

  if (error && !data && !isWatched)
    return (
      <div className="page">
        <ProblemNote error={error} retry={() => void refetch()} />
      </div>
    );
  return (
    <div className="directory">
      <h1 className="unseen">Agent directory</h1>
      {stats ? <Totals stats={stats} /> : <div className="totals waiting" />}
      <Filters view={view} change={change} />
      <Tools
        view={view}
        total={total}
        hidden={known.length - shown.length}
        fresh={answer && !isWatched ? { at: answer.receivedAt, block: chain?.data.chain.indexed ?? null } : null}
        failed={error !== null}
        change={change}
      />
      {!isWatched && (live.fresh > 0 || live.moved) && (
        <button type="button" className="pill" onClick={live.show}>
          {live.fresh > 0 ? `${live.fresh} new` : "Order changed"} · show
        </button>
      )}
      {!loaded ? (
        <Loading rows={12} />
      ) : rows.length === 0 ? (
        <Nothing view={view} change={change} />
      ) : isNarrow ? (
        <ul className="cards" aria-busy={dim}>
          {rows.map((row) => (
            <Card key={row.id} row={row} />
          ))}
        </ul>
      ) : (
        <Table rows={rows} total={total ?? 0} view={view} active={active} dim={dim} change={change} />
      )}
      {isWatched && <Gone links={watched.gone} />}
      {data && !isWatched && data.total > PAGE_SIZE && <Pager view={view} total={data.total} change={change} />}
      <CompareBar />
    </div>
  );
}

function useMarks(ids: number[]) {
  const { data } = useQuery(marks(ids));
  return new Map(data?.data.marks.map((each) => [each.id, each]));
}

/** Watched agents that no registry has any more, with a button to remove them. */
function Gone({ links }: { links: string[] }) {
  if (links.length === 0) return null;
  const all = stored("watched");
  return (
    <p className="gone muted">
      {count(links.length)} watched {links.length === 1 ? "agent cannot" : "agents cannot"} be found any more.{" "}
      <button
        type="button"
        className="link-button"
        onClick={() =>
          store(
            "watched",
            all.filter((link) => !links.includes(link)),
          )
        }
      >
        Stop watching
      </button>
    </p>
  );
}

function Nothing({ view, change }: { view: View; change: (view: View) => void }) {
  const unfiltered = view.q === "" && view.filter === "all";
  if (view.filter === "watched" && view.q === "")
    return (
      <Empty title="You watch nobody yet">
        <p className="muted">The star at the end of a row puts its agent here. The list stays in this browser.</p>
        <button type="button" className="button" onClick={() => change({ ...view, filter: "all" })}>
          Show all agents
        </button>
      </Empty>
    );
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

const Card = ({ row }: { row: MarkedRow }) => (
  <li className="card">
    <AgentCell row={row} />
    <RowActions row={row} />
    <div className="card-line">
      <CredCell row={row} />
    </div>
    <div className="card-line">
      <ProofsCell row={row} />
      <span className="card-rest faint">
        {[
          platformLabel(row.platform),
          ...(row.marks?.protocols ?? []),
          ...(row.created_at ? [age(row.created_at)] : []),
        ].join(" · ")}
      </span>
    </div>
    {row.token_symbol && (
      <div className="card-line">
        <TokenCell row={row} />
      </div>
    )}
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

/** Handles j, k, Enter, s, c and f. @returns index of the current row, -1 before the first key */
function useRowKeys(rows: MarkedRow[], key: string): number {
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
      else if (event.key === "c" && row.tokenId !== null) toggleStored("compared", String(row.tokenId));
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [go]);
  return index;
}
