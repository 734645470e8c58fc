/** Tabs and tier chips over the table, each with its count, mirrored in the address. */
import { useQueries } from "@tanstack/react-query";
import { TierShape } from "../parts/cred.tsx";
import { Icon } from "../parts/icon.tsx";
import { useStored } from "../stored.ts";
import { TIERS } from "../tiers.ts";
import { count } from "../words.ts";
import { filterCount } from "./source.ts";
import type { Filter, View } from "./view.ts";

const TABS: [Filter, string][] = [
  ["all", "All"],
  ["trending", "Trending"],
  ["gainers", "Gainers"],
  ["losers", "Losers"],
  ["new", "New"],
  ["x402", "x402"],
];

export function Filters({ view, change }: { view: View; change: (view: View) => void }) {
  const tiers = TIERS.map(({ key }) => key);
  const filters: Filter[] = [...TABS.map(([key]) => key), ...tiers];
  const counts = useQueries({ queries: filters.map((filter) => filterCount(filter, view.q)) });
  const watched = useStored("watched").length;
  const countOf = (filter: Filter) => counts[filters.indexOf(filter)]?.data;
  const chip = (filter: Filter, label: React.ReactNode, tier?: string) => {
    const known = countOf(filter);
    return (
      <button
        key={filter}
        type="button"
        className="chip"
        data-tier={tier}
        aria-pressed={view.filter === filter}
        onClick={() => change({ ...view, filter: view.filter === filter ? "all" : filter, page: 1 })}
      >
        {label}
        <span className="chip-count">{known == null ? "" : count(known)}</span>
      </button>
    );
  };
  const scored = tiers.map((tier) => countOf(tier) ?? 0);
  const sum = scored.reduce((a, b) => a + b, 0);
  return (
    <div className="filters">
      {/* The same numbers as the chips, seen at once. */}
      <div className="spread" aria-hidden="true">
        {sum > 0 &&
          tiers.map(
            (tier, i) => scored[i]! > 0 && <span key={tier} data-tier={tier} style={{ flexGrow: scored[i] }} />,
          )}
      </div>
      <fieldset className="chips" id="filters">
        <legend className="unseen">Filter</legend>
        {TABS.map(([key, label]) => chip(key, label))}
        <button
          type="button"
          className="chip"
          aria-pressed={view.filter === "watched"}
          onClick={() => change({ ...view, filter: view.filter === "watched" ? "all" : "watched", page: 1 })}
        >
          <Icon name="star" filled={view.filter === "watched"} />
          Watched
          <span className="chip-count">{watched}</span>
        </button>
        <span className="chips-gap" />
        {TIERS.map(({ key, label }) =>
          chip(
            key,
            <>
              <TierShape tier={key} />
              {label}
            </>,
            key,
          ),
        )}
        {(view.filter !== "all" || view.q) && (
          <button
            type="button"
            className="chip clear"
            onClick={() => change({ ...view, filter: "all", q: "", page: 1 })}
          >
            Clear all
          </button>
        )}
      </fieldset>
    </div>
  );
}
