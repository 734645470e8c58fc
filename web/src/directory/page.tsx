/** The directory: every agent known, in one table. */
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import { isSpam } from "../../../core/spam.ts";
import { status } from "../api/queries.ts";
import { CompareBar, comparedText } from "../compare/bar.tsx";
import { count, counted } from "../formats.ts";
import { useMedia } from "../media.ts";
import { Button } from "../parts/button.tsx";
import { Empty, Loading, ProblemNote, partOnDemand } from "../parts/states.tsx";
import { useSearchParams } from "../shell/address.ts";
import { isTaken } from "../shell/keyboard.tsx";
import { kindOf } from "../shell/search-box.tsx";
import { store, stored, toggleStored } from "../stored.ts";
import { Filters, type PanelOpener } from "./filters.tsx";
import { useLiveRows, useWatched } from "./live.ts";
import { Pager, Rows, useBadged } from "./rows.tsx";
import { type BadgedRow, directory, rowLink } from "./source.ts";
import { Tools, Totals } from "./tools.tsx";
import { isNarrowed, PAGE_SIZE, readView, type View, widened, writeView } from "./view.ts";

/** Loaded when no agent has the name that is searched for. */
const CanDo = partOnDemand(() => import("./can-do.tsx"), { waiting: <Loading rows={3} /> });

export default function DirectoryPage() {
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
  const rows = useBadged(shown);
  const [opened, open] = useState<PanelOpener>(null);
  const active = useRowKeys(rows, key, () => open((now) => (now ? null : "key")));
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
      <Welcome />
      <Totals stats={stats} />
      <Filters view={view} change={change} opened={opened} open={open} />
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
          {live.fresh > 0 ? `${count(live.fresh)} new · show` : "Order changed · show"}
        </button>
      )}
      {!loaded ? (
        <Loading rows={12} />
      ) : rows.length === 0 ? (
        <Nothing view={view} change={change} />
      ) : (
        <Rows total={total ?? 0} rows={rows} view={view} active={active} dim={dim} change={change} />
      )}
      {isWatched && <Gone links={watched.gone} />}
      {data && !isWatched && data.total > PAGE_SIZE && <Pager view={view} total={data.total} change={change} />}
      <CompareBar />
    </div>
  );
}

/** What this is, the three things one can do here, and what the columns say. */
function Welcome() {
  const isPhone = useMedia("(max-width: 760px)");
  return (
    <header className="welcome">
      <h1>AI agents, scored by facts that anybody can check</h1>
      <p className="actions">
        <Link className="button strong" href="/discover">
          Find one for a task
        </Link>
        <Button onClick={() => document.getElementById("search")?.focus()}>Check one</Button>
        <Link className="button" href="/mint">
          Register yours
        </Link>
      </p>
      {isPhone ? (
        <details className="welcome-legend">
          <summary>What a row says, and why most are low</summary>
          <Legend />
        </details>
      ) : (
        <div className="welcome-legend">
          <Legend />
        </div>
      )}
    </header>
  );
}

const Legend = () => (
  <p className="muted">
    <b>Cred</b> is 0 to 100, from eight signals. <b>Most stand low</b> because nothing about them has been proven yet:
    unknown is not bad. <b>W X G F C</b> are proofs of its wallet, its accounts on X, GitHub and Farcaster, and of its
    owner at Coinbase. <b>Speaks</b> are the protocols it takes. <b>Reviews</b> are what they are worth, of 100.{" "}
    <Link href="/score">How the score is made</Link>
  </p>
);

/** Watched agents that no registry has any more, with a button to remove them. */
function Gone({ links }: { links: string[] }) {
  if (links.length === 0) return null;
  const all = stored("watched");
  return (
    <p className="gone muted">
      {counted(links.length, "watched agent", "watched agents")} cannot be found any more.{" "}
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
  const unfiltered = !isNarrowed(view);
  if (view.filter === "watched" && view.q === "")
    return (
      <Empty title="You watch no agent yet">
        <p className="muted">The star at the end of a row puts its agent here. The list stays in this browser.</p>
        <Button onClick={() => change({ ...view, filter: "all" })}>Show all agents</Button>
      </Empty>
    );
  if (view.page > 1)
    return (
      <Empty title="This page is past the end">
        <Button onClick={() => change({ ...view, page: 1 })}>First page</Button>
      </Empty>
    );
  const noMatch = (
    <Empty title={unfiltered ? "No agents yet" : "No agent matches"}>
      {unfiltered ? (
        <p>
          The first one can be <Link href="/mint">registered</Link> now.
        </p>
      ) : (
        <>
          <p className="muted">Part of a name is enough; addresses and ids match from their beginning.</p>
          <Button onClick={() => change(widened(view))}>Show all agents</Button>
        </>
      )}
    </Empty>
  );
  if (kindOf(view.q) !== "name") return noMatch;
  return <CanDo q={view.q} otherwise={noMatch} />;
}

/** Handles j, k, Enter, s, c and f. @returns index of the current row, -1 before the first key */
function useRowKeys(rows: BadgedRow[], key: string, toggleFacets: () => void): number {
  const [position, setPosition] = useState({ key, index: -1 });
  const [, go] = useLocation();
  const index = position.key === key ? position.index : -1;
  const state = useRef({ rows, index, key, toggleFacets });
  state.current = { rows, index, key, toggleFacets };
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (isTaken(event)) return;
      const { rows, index, key, toggleFacets } = state.current;
      const row = rows[index];
      const step = event.key === "j" ? 1 : event.key === "k" ? -1 : 0;
      const onControl = event.target instanceof Element && event.target.closest("a, button, summary") !== null;
      if (step !== 0) setPosition({ key, index: Math.max(0, Math.min(rows.length - 1, index + step)) });
      else if (event.key === "f") toggleFacets();
      else if (!row) return;
      else if (event.key === "Enter" && !onControl) go(rowLink(row));
      else if (event.key === "s") toggleStored("watched", rowLink(row));
      else if (event.key === "c") toggleStored("compared", comparedText(row));
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [go]);
  return index;
}
