/** What narrows the table, mirrored in the address: tabs, tiers and windows with their counts, the facets that are set, and one button that clears all. */
import { useQuery } from "@tanstack/react-query";
import type { Facets } from "../../../core/directory/facets.ts";
import { TREND_WINDOW_KEYS } from "../../../core/directory/filters.ts";
import { count } from "../formats.ts";
import { Button, Chip, Icon } from "../parts/button.tsx";
import { TierShape } from "../parts/cred.tsx";
import { partOnDemand } from "../parts/states.tsx";
import { useStored } from "../stored.ts";
import { TIER_MEANINGS, TIERS } from "../tiers.ts";
import { facetWords } from "./facets.ts";
import { countsOf } from "./source.ts";
import { type Filter, isNarrowed, underFilter, type View, widened } from "./view.ts";

/** `title`: what the tab lists. */
const TABS: readonly { key: Filter; label: string; title: string }[] = [
  { key: "all", label: "All", title: "Every agent" },
  { key: "trending", label: "Trending", title: "Used, or its token traded, within the window" },
  { key: "gainers", label: "Price up", title: "The price of the agent's token rose within 24 hours" },
  { key: "losers", label: "Price down", title: "The price of the agent's token fell within 24 hours" },
  { key: "new", label: "New", title: "Registered within 7 days" },
  { key: "x402", label: "x402", title: "Takes payments by x402, in USDC" },
];

/** Loaded when it is opened: few people open it, and all wait for the first script. */
const FacetPanel = partOnDemand(() => import("./facet-panel.tsx"));

/** How the panel of facets was opened: by a key it takes the focus. */
export type PanelOpener = "key" | "click" | null;

type Props = { view: View; change: (view: View) => void; opened: PanelOpener; open: (opened: PanelOpener) => void };

export function Filters({ view, change, opened, open }: Props) {
  const tiers = TIERS.map(({ key }) => key);
  const counts = useQuery(countsOf(view)).data;
  const watched = useStored("watched").length;
  const toggle = (filter: View["filter"]) => change(underFilter(view, view.filter === filter ? "all" : filter));
  const chip = (filter: Filter, label: React.ReactNode, title: string, tier?: string) => {
    const known = counts?.[filter];
    return (
      <Chip
        key={filter}
        title={title}
        data-tier={tier}
        pressed={view.filter === filter}
        amount={known == null ? "" : count(known)}
        onClick={() => toggle(filter)}
      >
        {label}
      </Chip>
    );
  };
  const scored = tiers.map((tier) => counts?.[tier] ?? 0);
  const sum = scored.reduce((a, b) => a + b, 0);
  return (
    <div className="filters">
      {/* The same numbers as the chips, seen at once. */}
      <div
        className="spread"
        aria-hidden="true"
        title="All agents by the tier of their score, as the buttons below count them"
      >
        {sum > 0 &&
          tiers.map(
            (tier, i) => scored[i]! > 0 && <span key={tier} data-tier={tier} style={{ flexGrow: scored[i] }} />,
          )}
      </div>
      <div className="filter-lines">
        <fieldset className="chips" id="filters">
          <legend className="unseen">Filter</legend>
          {TABS.map(({ key, label, title }) => chip(key, label, title))}
          <Chip pressed={view.filter === "watched"} amount={watched} onClick={() => toggle("watched")}>
            <Icon name="star" filled={view.filter === "watched"} />
            Watched
          </Chip>
          <span className="chips-gap" />
          {TIERS.map(({ key, label }) =>
            chip(
              key,
              <>
                <TierShape tier={key} />
                {label}
              </>,
              TIER_MEANINGS[key],
              key,
            ),
          )}
        </fieldset>
        <FacetBar view={view} change={change} opened={opened} open={open} />
      </div>
      {opened && view.filter !== "watched" && (
        <FacetPanel view={view} change={change} focus={opened === "key"} close={() => open(null)} />
      )}
    </div>
  );
}

/** The button of the panel, the windows of trending, and what is set, each to be taken away by a click. */
function FacetBar({ view, change, opened, open }: Props) {
  const set = facetWords(view.facets);
  const without = (facets: Facets) => change({ ...view, facets, page: 1 });
  return (
    <div className="facet-bar">
      {view.filter !== "watched" && (
        <Button
          id="facets-button"
          aria-expanded={opened !== null}
          aria-controls="facets"
          onClick={() => open(opened ? null : "click")}
        >
          <Icon name="filter" /> Filters
          {set.length > 0 && <span className="chip-count">{set.length}</span>}
        </Button>
      )}
      {view.filter === "trending" && (
        <fieldset className="windows">
          <legend className="unseen">Window of trending</legend>
          {TREND_WINDOW_KEYS.map((window) => (
            <Chip key={window} pressed={view.window === window} onClick={() => change({ ...view, window, page: 1 })}>
              {window}
            </Chip>
          ))}
        </fieldset>
      )}
      {set.map(({ key, words, without: rest }) => (
        <Chip key={key} kind="set" onClick={() => without(rest)}>
          <bdi className="clip">{words}</bdi>
          <Icon name="close" />
          <span className="unseen">Remove this filter</span>
        </Chip>
      ))}
      {isNarrowed(view) && (
        <Chip kind="clear" onClick={() => change(widened(view))}>
          Clear all
        </Chip>
      )}
    </div>
  );
}
