/** The filters of discovery with their counts; on small screens they are folded. */
import { useState } from "react";
import type { DiscoveryAnswer } from "../api/types.ts";
import { count } from "../formats.ts";
import { FACETS, type FacetGroup, filterCount, isSame, PRICES, type View } from "./view.ts";

type Props = { view: View; facets: DiscoveryAnswer["facets"] | undefined; change: (view: View) => void };

export function Facets({ view, facets, change }: Props) {
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
              <button
                key={value}
                type="button"
                className="chip"
                aria-pressed={view.maxPrice === value}
                onClick={() => change({ ...view, maxPrice: view.maxPrice === value ? null : value })}
              >
                {label}
              </button>
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
  const found = facets[group.key];
  // A chosen value stays in reach although nothing that was found has it.
  const gone = chosen.filter((value) => !found.some((other) => isSame(other.value, value)));
  const values = [...found, ...gone.map((value) => ({ value, count: 0 }))];
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
