/** The panel of facets: each choice with the number of agents that the view would have with it. */
import { useQueries } from "@tanstack/react-query";
import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import type { Facets } from "../../../core/directory/facets.ts";
import { count } from "../formats.ts";
import { Chip } from "../parts/button.tsx";
import { LIST_KEYS, LISTS, RANGES, type RangeKey, toggled, tokenLabel, valuesOf, withValues } from "./facets.ts";
import { totalOf } from "./source.ts";
import { readInteger, type View } from "./view.ts";

const FACET_LABELS = {
  platform: "Registry",
  chain: "Chain",
  speaks: "Speaks",
  verified: "Verified",
  token: "Token",
  score: "Cred, from 0 to 100",
  age: "Age in days",
} as const;

type Props = { view: View; change: (view: View) => void; focus: boolean; close: () => void };

export default function FacetPanel({ view: shown, change, focus, close }: Props) {
  // Watched agents are known to this browser only: a facet leads back to all.
  const view: View = shown.filter === "watched" ? { ...shown, filter: "all" } : shown;
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    if (focus) panel.current?.querySelector("button")?.focus();
  }, [focus]);
  const set = (facets: Facets) => change({ ...view, facets, page: 1 });
  const choose = (label: string, facets: Facets, pressed: boolean) => ({ label, facets, pressed });
  return (
    <section
      className="facets"
      id="facets"
      aria-label="Filters"
      ref={panel}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        close();
        document.getElementById("facets-button")?.focus();
      }}
    >
      {LIST_KEYS.map((key) => {
        const { choices, label, all } = LISTS[key];
        const values = valuesOf(view.facets, key);
        return (
          <Choices
            key={key}
            legend={FACET_LABELS[key]}
            hint={all ? "all of" : "any of"}
            view={view}
            set={set}
            choices={[...choices, ...values.filter((value) => !choices.includes(value))].map((value) => ({
              ...choose(label(value), withValues(view.facets, key, toggled(values, value)), values.includes(value)),
              // Agents with the choice set, also while it is not set.
              counted: withValues(view.facets, key, all ? [...new Set([...values, value])] : [value]),
            }))}
          />
        );
      })}
      <Choices
        legend="Token"
        view={view}
        set={set}
        choices={[true, false].map((has) => {
          const pressed = view.facets.hasToken === has;
          return {
            ...choose(tokenLabel(has), { ...view.facets, hasToken: pressed ? undefined : has }, pressed),
            counted: { ...view.facets, hasToken: has },
          };
        })}
      />
      <Range of="score" facets={view.facets} set={set} />
      <Range of="age" facets={view.facets} set={set} />
    </section>
  );
}

type Choice = { label: string; facets: Facets; pressed: boolean; counted: Facets };
type ChoicesProps = { legend: string; hint?: string; view: View; choices: Choice[]; set: (facets: Facets) => void };

function Choices({ legend, hint, view, choices, set }: ChoicesProps) {
  const counts = useQueries({ queries: choices.map(({ counted }) => totalOf({ ...view, facets: counted })) });
  return (
    <fieldset>
      <legend>
        {legend}
        {hint && <span className="faint"> {hint}</span>}
      </legend>
      <div className="facet-choices">
        {choices.map(({ label, facets, pressed }, i) => (
          <Chip
            key={label}
            pressed={pressed}
            amount={counts[i]?.data === undefined ? "" : count(counts[i].data)}
            onClick={() => set(facets)}
          >
            {label}
          </Chip>
        ))}
      </div>
    </fieldset>
  );
}

/** Two bounds, taken over when a field is left or Enter is pressed. */
function Range({ of, facets, set }: { of: RangeKey; facets: Facets; set: (facets: Facets) => void }) {
  const { lower, upper, least, most } = RANGES[of];
  const [fault, setFault] = useState(false);
  const id = useId();
  const take = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const read = (name: string) => {
      const text = String(data.get(name)).trim();
      return text === "" ? undefined : (readInteger(text, least, most) ?? Number.NaN);
    };
    const [from, to] = [read("from"), read("to")];
    const bad = Number.isNaN(from) || Number.isNaN(to) || (from ?? least) > (to ?? most);
    setFault(bad);
    if (!bad && (from !== facets[lower] || to !== facets[upper])) set({ ...facets, [lower]: from, [upper]: to });
  };
  const field = (name: "from" | "to", value: number | undefined) => (
    <Bound
      name={name}
      value={value}
      label={`${name === "from" ? "Least" : "Most"} ${of === "score" ? "cred" : "age in days"}`}
      placeholder={String(name === "from" ? least : most)}
      faultId={fault ? id : undefined}
    />
  );
  return (
    <form onSubmit={take} noValidate>
      <fieldset>
        <legend>{FACET_LABELS[of]}</legend>
        <div className="facet-range">
          {field("from", facets[lower])}
          <span className="faint">–</span>
          {field("to", facets[upper])}
          <button type="submit" className="unseen" tabIndex={-1}>
            Apply
          </button>
        </div>
        {fault && (
          <p className="fault" id={id}>
            Whole numbers from {count(least)} to {count(most)}, the smaller one first.
          </p>
        )}
      </fieldset>
    </form>
  );
}

type BoundProps = {
  name: string;
  value: number | undefined;
  label: string;
  placeholder: string;
  faultId: string | undefined;
};

/** One bound; it follows the address, and keeps the focus while it does. */
function Bound({ name, value, label, placeholder, faultId }: BoundProps) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    input.current!.value = value === undefined ? "" : String(value);
  }, [value]);
  return (
    <input
      className="field"
      ref={input}
      name={name}
      aria-label={label}
      inputMode="numeric"
      autoComplete="off"
      maxLength={4}
      placeholder={placeholder}
      aria-invalid={faultId !== undefined}
      aria-describedby={faultId}
      onBlur={(event) => event.currentTarget.form?.requestSubmit()}
    />
  );
}
