/** The traits of an agent: those it has, and up to ten new ones. */
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { normalForm } from "../../../core/normal-form.ts";
import { TRAIT_VALUE } from "../../../core/signals/traits.ts";
import type { Agent } from "../api/types.ts";
import { count, date } from "../formats.ts";
import { Action, Button } from "../parts/button.tsx";
import { type Faults, TextField } from "../parts/form.tsx";
import { Icon } from "../parts/icon.tsx";
import { NotYet } from "../parts/states.tsx";
import { useDraft } from "./changes.tsx";
import { type Profile, pointsOf, profileOf, scoreWith } from "./profile.ts";
import type { SectionProps } from "./section-props.ts";
import { refusalOf, type Storage, StorageChoice, Writing } from "./storage.tsx";
import { explorerOf, Outcome, useProfileWrite } from "./write.tsx";

type Trait = { name: string; category: string };
const EMPTY: Trait = { name: "", category: "" };
/** Max traits in one request, as the API has it. */
const MAX_TRAITS = 10;
const MAX_NAME = 64;
const MAX_CATEGORY = 32;

const keyOf = (name: string) => normalForm(name.trim(), "NFC", MAX_NAME).toLowerCase();
const rawOf = (traits: number) => Math.min(100, traits * TRAIT_VALUE);

export default function TraitsSection({ agent }: SectionProps) {
  const { data: answer, error, refetch } = useQuery(profileOf(agent.tokenId));
  if (!answer) return <NotYet error={error} refetch={refetch} rows={6} />;
  return (
    <>
      <Writing profile={answer.data} explorer={explorerOf(agent)} />
      <Present profile={answer.data} />
      <TraitsForm agent={agent} profile={answer.data} />
    </>
  );
}

const Present = ({ profile: { traits } }: { profile: Profile }) => (
  <section className="panel" aria-label="Traits it has">
    <h2>Traits it has</h2>
    {traits.length === 0 ? (
      <p className="muted">It has no traits yet.</p>
    ) : (
      <ul className="trait-list">
        {traits.map(({ name, category, from, addedAt }) => (
          <li key={name}>
            <b className="clip">
              <bdi>{name}</bdi>
            </b>
            <span className="muted clip">
              <bdi>{category}</bdi> · {from === "onchain" ? "on chain" : "off chain"} since {date(addedAt)}
            </span>
          </li>
        ))}
      </ul>
    )}
  </section>
);

function TraitsForm({ agent, profile }: { agent: Agent; profile: Profile }) {
  const [draft, setDraft] = useDraft<Trait[]>(`traits.${agent.tokenId}`);
  const [storage, setStorage] = useState<Storage>("offchain");
  const write = useProfileWrite(agent, "traits", () => setDraft(null));
  const rows = draft?.length ? draft : [EMPTY];
  const has = new Map(profile.traits.map(({ name, category }) => [keyOf(name), category]));
  const given = rows.filter(({ name }) => name.trim() !== "");
  const fresh = given.filter(({ name }) => !has.has(keyOf(name)));
  const where = storage === "onchain" && refusalOf(profile, fresh.length, fresh.length) === null ? storage : "offchain";
  const change = (i: number, part: Partial<Trait>) =>
    setDraft(rows.map((row, at) => (at === i ? { ...row, ...part } : row)));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const traits = fresh.map(({ name, category }) => ({
      name: name.trim(),
      ...(category.trim() && { category: category.trim() }),
    }));
    write.save({ traits }, { onchain: where === "onchain" });
  };
  return (
    <>
      <form className="panel form" onSubmit={submit} aria-label="Add traits">
        <h2>Add traits</h2>
        <p className="muted">
          Each trait adds {count(pointsOf("traits", TRAIT_VALUE))} points to the score, up to{" "}
          {count(Math.ceil(100 / TRAIT_VALUE))} traits. A trait stays: it cannot be taken back.
        </p>
        {rows.map((row, i) => (
          <Row
            key={i}
            i={i}
            row={row}
            faults={write.faults}
            category={has.get(keyOf(row.name))}
            path={`traits.${fresh.indexOf(row)}`}
            change={(part) => change(i, part)}
            remove={rows.length > 1 ? () => setDraft(rows.filter((_, at) => at !== i)) : null}
          />
        ))}
        {rows.length < MAX_TRAITS && (
          <p>
            <Button onClick={() => setDraft([...rows, EMPTY])}>Add a row</Button>
          </p>
        )}
        {fresh.length > 0 && (
          <p className="muted" role="status">
            The score goes from {count(profile.cred.score)} to{" "}
            {count(scoreWith(profile, { traits: rawOf(profile.traits.length + fresh.length) }))}.
          </p>
        )}
        <StorageChoice
          profile={profile}
          parts={fresh.length}
          traits={fresh.length}
          storage={where}
          choose={setStorage}
          byOwner={false}
        />
        <Action type="submit" strong disabled={fresh.length === 0 || write.busy}>
          {where === "onchain" ? "Write on chain" : "Add"}
        </Action>
      </form>
      <Outcome write={write} explorer={explorerOf(agent)} />
    </>
  );
}

type RowProps = {
  i: number;
  row: Trait;
  /** Of the row's errors. */
  path: string;
  faults: Faults;
  /** The category of the trait of this name that the agent has already. */
  category: string | undefined;
  change: (part: Partial<Trait>) => void;
  /** Null for the only row. */
  remove: (() => void) | null;
};

const Row = ({ i, row, path, faults, category, change, remove }: RowProps) => (
  <div className="pair">
    <TextField
      name={`name${i}`}
      path={`${path}.name`}
      label="Trait"
      value={row.name}
      max={MAX_NAME}
      faults={faults}
      remark={category === undefined ? undefined : `The agent has this trait already, in the category ${category}.`}
      optional={i > 0}
      hint=""
      onChange={({ target }) => change({ name: target.value })}
    />
    <TextField
      name={`category${i}`}
      path={`${path}.category`}
      label="Category"
      value={row.category}
      max={MAX_CATEGORY}
      faults={faults}
      optional
      onChange={({ target }) => change({ category: target.value })}
    />
    {remove && (
      <button type="button" className="icon-button" aria-label={`Remove row ${count(i + 1)}`} onClick={remove}>
        <Icon name="close" />
      </button>
    )}
  </div>
);
