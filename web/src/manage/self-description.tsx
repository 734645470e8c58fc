/** The words and the personality of an agent: each field with its place and its worth, a preview, and what changes. */
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import {
  NARRATIVE_FIELDS,
  type NarrativeField,
  PERSONALITY_LEVELS,
  PERSONALITY_TEXTS,
  type ShownPersonality,
} from "../../../core/agents/profile.ts";
import { NARRATIVE_VALUE } from "../../../core/signals/narrative.ts";
import { SelfDescription } from "../agent/self-description.tsx";
import type { Agent } from "../api/types.ts";
import { count, date } from "../formats.ts";
import { Button } from "../parts/button.tsx";
import { Choice, type Faults, TextArea } from "../parts/form.tsx";
import { NotYet } from "../parts/states.tsx";
import { useWallet } from "../wallet/session.ts";
import { type Change, Changes, useDraft } from "./changes.tsx";
import { type Profile, type ProfileField, pointsOf, profileOf, scoreWith } from "./profile.ts";
import type { SectionProps } from "./section-props.ts";
import { fieldLabel, refusalOf, type Storage, StorageChoice, Writing } from "./storage.tsx";
import { explorerOf, isOwnerOnly, Outcome, useProfileWrite } from "./write.tsx";

/** By the path of a field, as it is typed; a level is a decimal number, or empty for none. */
type Draft = Record<string, string>;

const NARRATIVE = NARRATIVE_FIELDS.map((name) => `narrative.${name}`);
const TEXTS = PERSONALITY_TEXTS.map((name) => `personality.${name}`);
const LEVELS = PERSONALITY_LEVELS.map((name) => `personality.${name}`);
const FIELDS = [...NARRATIVE, ...TEXTS, ...LEVELS];
/** Max characters, as the API counts them. */
const MAX_LENGTHS: Record<string, number> = {
  "narrative.origin": 512,
  "narrative.mission": 512,
  "narrative.lore": 1024,
  "narrative.manifesto": 1024,
};
const MAX_PERSONALITY = 256;

const textOf = (value: unknown): string => (value === null || value === undefined ? "" : String(value));

export default function SelfDescriptionSection({ agent }: SectionProps) {
  const { data: answer, error, refetch } = useQuery(profileOf(agent.tokenId));
  if (answer) return <WordsForm agent={agent} profile={answer.data} />;
  return <NotYet error={error} refetch={refetch} rows={8} />;
}

function WordsForm({ agent, profile }: { agent: Agent; profile: Profile }) {
  const wallet = useWallet();
  const [draft, setDraft] = useDraft<Draft>(`words.${agent.tokenId}`);
  const [storage, setStorage] = useState<Storage>("offchain");
  const write = useProfileWrite(agent, "words", () => setDraft(null));
  const states = new Map(profile.fields.map((field) => [field.field, field]));
  const shown = (path: string) => textOf(states.get(path)?.value);
  const typed = (path: string) => draft?.[path] ?? shown(path);
  const changed = FIELDS.filter((path) => typed(path).trim() !== shown(path).trim());
  const changes = changed.map(
    (field): Change => ({ field, label: fieldLabel(field), before: shown(field), after: typed(field).trim() }),
  );
  const type = (path: string) => (event: { target: { value: string } }) =>
    setDraft({ ...draft, [path]: event.target.value });
  // The contract has one call for the whole personality, and one for each text of the narrative.
  const parts = changed.filter((path) => NARRATIVE.includes(path)).length + (changed.some(isPersonality) ? 1 : 0);
  const where = storage === "onchain" && refusalOf(profile, parts) === null ? "onchain" : "offchain";
  const written = NARRATIVE.filter((path) => typed(path).trim() !== "").length;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    write.save(updateOf(changes), { onchain: where === "onchain" });
  };
  const field = (path: string) => ({ path, state: states.get(path), faults: write.faults });
  return (
    <>
      <Writing profile={profile} explorer={explorerOf(agent)} />
      <form className="panel form" onSubmit={submit} aria-label="Words and personality">
        <h2>Words and personality</h2>
        <p className="muted">
          Only what you change is written. Of a value on chain and one off chain the newer one is shown. An empty text
          clears the field.
        </p>
        <h3>Narrative</h3>
        <p className="muted">
          Each of the four texts adds {count(pointsOf("narrative", NARRATIVE_VALUE))} points to the score while it is
          written.
        </p>
        {NARRATIVE.map((path) => (
          <Text key={path} {...field(path)} value={typed(path)} type={type(path)} />
        ))}
        <h3>Personality</h3>
        <p className="muted">It describes the agent and counts for nothing.</p>
        {TEXTS.map((path) => (
          <Text key={path} {...field(path)} value={typed(path)} type={type(path)} />
        ))}
        {LEVELS.map((path) => (
          <Level key={path} {...field(path)} value={typed(path)} type={type(path)} />
        ))}
        <Changes
          changes={changes}
          score={{ now: profile.cred.score, after: scoreWith(profile, { narrative: written * NARRATIVE_VALUE }) }}
        />
        <details className="form-more">
          <summary>Preview: as its page will show it</summary>
          <SelfDescription agent={previewOf(agent, typed)} />
        </details>
        <StorageChoice
          profile={profile}
          parts={parts}
          storage={where}
          choose={setStorage}
          byOwner={isOwnerOnly(agent, wallet)}
        />
        <p className="actions">
          <Button type="submit" strong disabled={changes.length === 0 || write.busy}>
            {where === "onchain" ? "Write on chain" : "Save"}
          </Button>
          {draft && (
            <Button disabled={write.busy} onClick={() => setDraft(null)}>
              Discard changes
            </Button>
          )}
        </p>
      </form>
      <Outcome write={write} explorer={explorerOf(agent)} />
    </>
  );
}

const isPersonality = (path: string) => path.startsWith("personality.");

type FieldProps = {
  path: string;
  state: ProfileField | undefined;
  faults: Faults;
  value: string;
  type: (event: { target: { value: string } }) => void;
};

const Text = ({ path, state, faults, value, type }: FieldProps) => (
  <TextArea
    name={path}
    label={fieldLabel(path)}
    hint={placeOf(state)}
    faults={faults}
    value={value}
    max={MAX_LENGTHS[path] ?? MAX_PERSONALITY}
    optional
    rows={isPersonality(path) ? 2 : 3}
    onChange={type}
  />
);

const Level = ({ path, state, faults, value, type }: FieldProps) => (
  <Choice
    name={path}
    label={fieldLabel(path)}
    hint={placeOf(state)}
    faults={faults}
    value={value}
    optional
    onChange={type}
    choices={[
      // A level cannot be removed once it was stated.
      ...(state?.value == null ? [["", "not stated"] as const] : []),
      ...Array.from({ length: 11 }, (_, i) => [String(i), `${count(i)} of 10`] as const),
    ]}
  />
);

/** Where a value is stored, and since when. */
export function placeOf(state: ProfileField | undefined): string {
  const from = state?.from;
  if (!state || !from) return "not written yet";
  const at = state[from]?.writtenAt;
  return at ? `${from === "onchain" ? "on chain" : "off chain"} since ${date(at)}` : "on chain";
}

/** The body of an update: only the changed fields. */
function updateOf(changes: readonly Change[]): object {
  const update: Record<string, Record<string, string | number>> = {};
  for (const { field, after } of changes) {
    const [part, name] = field.split(".") as [string, string];
    update[part] = { ...update[part], [name]: LEVELS.includes(field) ? Number(after) : after };
  }
  return update;
}

/** The agent as its page would show it. */
function previewOf(agent: Agent, typed: (path: string) => string): Agent {
  const narrative = Object.fromEntries(
    NARRATIVE_FIELDS.map((name) => [name, typed(`narrative.${name}`).trim()]),
  ) as Record<NarrativeField, string>;
  const level = (path: string) => (typed(path) === "" ? null : Number(typed(path)));
  const personality = {
    ...Object.fromEntries(PERSONALITY_TEXTS.map((name) => [name, typed(`personality.${name}`).trim()])),
    ...Object.fromEntries(PERSONALITY_LEVELS.map((name) => [name, level(`personality.${name}`)])),
  } as ShownPersonality;
  return { ...agent, narrative, personality };
}
