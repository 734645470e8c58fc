/** Discovery: agents by what they can do, with filters, prices, and the reason of each place. */
import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useLocation } from "wouter";
import type { DiscoveryAnswer } from "../api/types.ts";
import { CompareBar } from "../compare/bar.tsx";
import { count, counted, dollars } from "../formats.ts";
import { Button, Chip, Icon } from "../parts/button.tsx";
import { Page } from "../parts/panel.tsx";
import { Empty, NotYet, ProblemNote } from "../parts/states.tsx";
import { useSearchParams } from "../shell/address.ts";
import { ApiButton } from "../shell/api-button.tsx";
import { isTaken } from "../shell/keyboard.tsx";
import { MAX_QUERY_LENGTH } from "./can-do.ts";
import { Hit } from "./hit.tsx";
import {
  discovered,
  discoverPath,
  FACETS,
  type FacetGroup,
  filterCount,
  isSame,
  NO_FILTERS,
  PRICES,
  readView,
  type View,
  writeView,
} from "./view.ts";

/** Milliseconds without a letter after which the words are searched for. */
const PAUSE_MS = 160;
const EXAMPLES = ["audit solidity under 5 cents", "translate contracts to french", "solana price feed mcp"];

export default function DiscoverPage() {
  const [params] = useSearchParams();
  const [, go] = useLocation();
  const view = readView(params);
  const change = (next: View, replace = false) => {
    const query = writeView(next);
    go(query.size > 0 ? `/discover?${query}` : "/discover", { replace });
  };
  const { data, error, isPlaceholderData, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery(
    discovered(view),
  );
  const first = data?.pages[0]?.data;
  const hits = uniqueHits(data?.pages.map((page) => page.data) ?? []);
  useHitKeys();
  return (
    <Page
      className="page discover"
      title="Discover"
      lead="Agents by what they can do, ordered by how well they fit and by what is known about them."
      beside={<ApiButton paths={[discoverPath(view)]} />}
    >
      <Field q={view.q} show={(q) => change({ ...view, q }, true)} />
      {view.q === "" && <Examples choose={(q) => change({ ...view, q })} />}
      {first && !isPlaceholderData && <Understood of={first} />}
      <div className="discover-grid">
        <Facets view={view} facets={first?.facets} change={change} />
        <section className="discover-found" aria-label="Found agents">
          {(first || !error) && <Count of={first} view={view} change={change} />}
          {!first ? (
            <NotYet error={error} refetch={refetch} rows={6} />
          ) : hits.length === 0 ? (
            <Nothing view={view} change={change} />
          ) : (
            <ol className="hits" data-dim={isPlaceholderData || undefined} aria-busy={isPlaceholderData}>
              {hits.map((hit) => (
                <Hit key={hit.agent.id} hit={hit} />
              ))}
            </ol>
          )}
          {error && first && <ProblemNote error={error} retry={() => void refetch()} />}
          {hasNextPage && !isPlaceholderData && (
            <button
              type="button"
              className="button load-more"
              disabled={isFetchingNextPage}
              onClick={() => void fetchNextPage()}
            >
              {isFetchingNextPage ? "Loading" : "Load more"}
            </button>
          )}
        </section>
      </div>
      <CompareBar />
    </Page>
  );
}

/** Hits of all pages; one whose place changed between two requests keeps the first place. */
function uniqueHits(pages: DiscoveryAnswer[]): DiscoveryAnswer["hits"] {
  const seen = new Map(
    pages
      .flatMap(({ hits }) => hits)
      .toReversed()
      .map((hit) => [hit.agent.id, hit]),
  );
  return [...seen.values()].toReversed();
}

/** The words, searched for while one types. */
function Field({ q, show }: { q: string; show: (q: string) => void }) {
  const [text, setText] = useState(q);
  const waiting = useRef<ReturnType<typeof setTimeout>>(undefined);
  const sent = useRef(q);
  useEffect(() => {
    // The address also changes by what was typed here: later letters stay.
    if (q !== sent.current) setText(q);
    sent.current = q;
  }, [q]);
  useEffect(() => () => clearTimeout(waiting.current), []);
  const send = (value: string) => {
    clearTimeout(waiting.current);
    sent.current = value.trim();
    show(value.trim());
  };
  return (
    <search>
      <form
        className="search discover-field"
        onSubmit={(event) => {
          event.preventDefault();
          send(text);
        }}
      >
        <Icon name="search" />
        <input
          id="discover-q"
          type="search"
          aria-label="What shall the agent do?"
          placeholder="What shall the agent do?"
          maxLength={MAX_QUERY_LENGTH}
          autoComplete="off"
          value={text}
          onChange={({ target: { value } }) => {
            setText(value);
            clearTimeout(waiting.current);
            waiting.current = setTimeout(() => send(value), PAUSE_MS);
          }}
          onKeyDown={(event) => {
            if (event.key !== "Escape") return;
            if (text === "") return event.currentTarget.blur();
            setText("");
            send("");
          }}
        />
        <span className="kind">
          <kbd>/</kbd>
        </span>
      </form>
    </search>
  );
}

const Examples = ({ choose }: { choose: (q: string) => void }) => (
  <p className="chips examples">
    <span className="faint">For example</span>
    {EXAMPLES.map((example) => (
      <Chip key={example} onClick={() => choose(example)}>
        {example}
      </Chip>
    ))}
  </p>
);

/** What the words ask for in addition to what is searched, and which words were searched for instead of unknown ones. */
function Understood({ of: { understood } }: { of: DiscoveryAnswer }) {
  const { speaks = [], maxPrice } = understood.filters;
  const wishes = [
    ...speaks.map((protocol) => `speaks ${protocol}`),
    ...(maxPrice === undefined ? [] : [maxPrice === 0 ? "free" : `at most ${dollars(maxPrice)}`]),
  ];
  if (wishes.length === 0 && understood.corrected.length === 0) return null;
  return (
    <p className="understood muted" role="status">
      {wishes.length > 0 && "Standing first:"}
      {wishes.map((wish) => (
        <span key={wish} className="tag">
          {wish}
        </span>
      ))}
      {understood.corrected.map(({ from, to }) => (
        <span key={from}>
          No agent has “<bdi>{from}</bdi>”: searched for “<bdi>{to}</bdi>”.
        </span>
      ))}
    </p>
  );
}

type ViewProps = { view: View; change: (view: View) => void };

function Count({ of, view, change }: ViewProps & { of: DiscoveryAnswer | undefined }) {
  return (
    <p className="discover-count muted" role="status">
      {of === undefined
        ? "Loading"
        : `${of.totalIsExact ? "" : "About "}${counted(of.total, "agent", "agents")}${view.q ? "" : ", the most trusted first"}`}
      {filterCount(view) > 0 && (
        <button type="button" className="link-button" onClick={() => change({ ...NO_FILTERS, q: view.q })}>
          Clear filters
        </button>
      )}
    </p>
  );
}

const Nothing = ({ view, change }: ViewProps) => (
  <Empty title="No agent offers that">
    <p className="muted">Fewer or other words may find one: name what shall be done, not how.</p>
    {filterCount(view) > 0 ? (
      <Button onClick={() => change({ ...NO_FILTERS, q: view.q })}>Search without filters</Button>
    ) : (
      <Button onClick={() => change(NO_FILTERS)}>Show the most trusted</Button>
    )}
  </Empty>
);

/** j and k move the focus from one agent's name to the next; Enter opens it, as it opens every link. */
function useHitKeys() {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const step = event.key === "j" ? 1 : event.key === "k" ? -1 : 0;
      if (step === 0 || isTaken(event)) return;
      const names = [...document.querySelectorAll<HTMLElement>(".hit-name")];
      const at = names.indexOf(document.activeElement as HTMLElement);
      names[Math.max(0, Math.min(names.length - 1, at + step))]?.focus();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
}

type Props = { view: View; facets: DiscoveryAnswer["facets"] | undefined; change: (view: View) => void };

function Facets({ view, facets, change }: Props) {
  const [open, setOpen] = useState(false);
  const chosen = filterCount(view);
  return (
    <aside className="found-facets" aria-label="Filters" data-open={open || undefined}>
      <button
        type="button"
        className="button found-facets-toggle"
        aria-expanded={open}
        aria-controls="facets"
        onClick={() => setOpen(!open)}
      >
        Filters
        {chosen > 0 && ` · ${chosen}`}
      </button>
      <div className="found-facets-body" id="facets">
        <fieldset className="facet">
          <legend>Price of a call, at most</legend>
          <div className="facet-row">
            {PRICES.map(([value, label]) => (
              <Chip
                key={value}
                pressed={view.maxPrice === value}
                onClick={() => change({ ...view, maxPrice: view.maxPrice === value ? null : value })}
              >
                {label}
              </Chip>
            ))}
          </div>
        </fieldset>
        {facets &&
          FACETS.map((group) => <Facet key={group.key} group={group} view={view} facets={facets} change={change} />)}
      </div>
    </aside>
  );
}

function Facet({ group, view, facets, change }: Props & { group: FacetGroup; facets: DiscoveryAnswer["facets"] }) {
  const chosen = group.chosen(view);
  const counts = facets[group.key];
  // A chosen value stays in reach although nothing that was found has it.
  const gone = chosen.filter((value) => !counts.some((other) => isSame(other.value, value)));
  const values = [...counts, ...gone.map((value) => ({ value, count: 0 }))];
  if (values.length === 0) return null;
  return (
    <fieldset className="facet">
      <legend>{group.title}</legend>
      {values.map(({ value, count: agents }) => (
        <button
          key={value}
          type="button"
          className="facet-value"
          aria-pressed={chosen.some((other) => isSame(other, value))}
          onClick={() => change(group.choose(view, value))}
        >
          <span className="facet-box" aria-hidden="true" />
          <span className="clip">{group.label(value)}</span>
          <span className="chip-count">{count(agents)}</span>
        </button>
      ))}
    </fieldset>
  );
}
