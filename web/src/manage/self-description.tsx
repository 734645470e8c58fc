/** The words and the personality of an agent: each field with its place and its worth, a preview, and what changes. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import {
  NARRATIVE_FIELDS,
  type NarrativeField,
  PERSONALITY_LEVELS,
  PERSONALITY_TEXTS,
  type ShownPersonality,
} from "../../../core/agents/profile.ts";
import { NARRATIVE_VALUE } from "../../../core/signals/narrative.ts";
import { SelfDescription } from "../agent/listing.tsx";
import type { Agent } from "../api/types.ts";
import { count, date } from "../formats.ts";
import { type FieldEntry, Fields } from "../parts/form.tsx";
import { NotYet } from "../parts/states.tsx";
import { useWallet } from "../wallet/session.ts";
import { type Change, Changes, changesOf, useDraft } from "./changes.tsx";
import { fieldLabel, refusalOf, type Storage, StorageChoice, Writing } from "./storage.tsx";
import {
  explorerOf,
  isOwnerOnly,
  type Profile,
  type ProfileField,
  ProfileForm,
  pointsOf,
  profileOf,
  type SectionProps,
  scoreWith,
  useProfileWrite,
} from "./write.tsx";

/** By the path of a field, as it is typed; a level is a decimal number, or empty for none. */
type Draft = Record<string, string>;

/** Of the narrative each text with its max characters, as the API counts them. */
const MAX_LENGTHS = { origin: 512, mission: 512, lore: 1024, manifesto: 1024 } as const;
const MAX_PERSONALITY = 256;

const fieldAt = (name: string, field: object) => ({ ...{ name, label: fieldLabel(name), optional: true }, ...field });
const NARRATIVE = NARRATIVE_FIELDS.map((name) => fieldAt(`narrative.${name}`, { max: MAX_LENGTHS[name], rows: 3 }));
const TEXTS = PERSONALITY_TEXTS.map((name) => fieldAt(`personality.${name}`, { max: MAX_PERSONALITY, rows: 2 }));
const LEVELS = PERSONALITY_LEVELS.map((name) => fieldAt(`personality.${name}`, {}));
const FIELDS = [...NARRATIVE, ...TEXTS, ...LEVELS];
const LEVEL_CHOICES = Array.from({ length: 11 }, (_, i) => [String(i), `${count(i)} of 10`] as const);

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
  const shown = Object.fromEntries(FIELDS.map(({ name }) => [name, textOf(states.get(name)?.value)]));
  const typed = { ...shown, ...draft };
  const changes = changesOf(FIELDS, shown, typed);
  const isChanged = (one: { name: string }) => changes.some(({ field }) => field === one.name);
  // The contract has one call for the whole personality, and one for each text of the narrative.
  const parts = NARRATIVE.filter(isChanged).length + ([...TEXTS, ...LEVELS].some(isChanged) ? 1 : 0);
  const where = storage === "onchain" && refusalOf(profile, parts) === null ? "onchain" : "offchain";
  const written = NARRATIVE.filter(({ name }) => typed[name]?.trim() !== "").length;
  const change = (name: string, value: string) => setDraft({ ...draft, [name]: value });
  const fields = (of: readonly FieldEntry[]) => (
    <Fields
      of={of.map((field) => ({ ...field, hint: placeOf(states.get(field.name)) }))}
      faults={write.faults}
      values={typed}
      change={change}
    />
  );
  // A level cannot be removed once it was stated.
  const choicesOf = (name: string) =>
    states.get(name)?.value == null ? [["", "not stated"] as const, ...LEVEL_CHOICES] : LEVEL_CHOICES;
  return (
    <>
      <Writing profile={profile} explorer={explorerOf(agent)} />
      <ProfileForm
        agent={agent}
        write={write}
        title="Words and personality"
        lead="Only what you change is written. Of a value on chain and one off chain the newer one is shown. An empty text clears the field."
        save={changes.length > 0 ? () => write.save(updateOf(changes), { onchain: where === "onchain" }) : null}
        does={where === "onchain" ? "Write on chain" : "Save"}
        discard={draft && (() => setDraft(null))}
      >
        <h3>Narrative</h3>
        <p className="muted">
          Each of the four texts adds {count(pointsOf("narrative", NARRATIVE_VALUE))} points to the score while it is
          written.
        </p>
        {fields(NARRATIVE)}
        <h3>Personality</h3>
        <p className="muted">It describes the agent and counts for nothing.</p>
        {fields(TEXTS)}
        {fields(LEVELS.map((field) => ({ ...field, choices: choicesOf(field.name) })))}
        <Changes
          changes={changes}
          score={{ now: profile.cred.score, after: scoreWith(profile, { narrative: written * NARRATIVE_VALUE }) }}
        />
        <details className="form-more">
          <summary>Preview: as its page will show it</summary>
          <SelfDescription agent={previewOf(agent, (name) => typed[name] ?? "")} />
        </details>
        <StorageChoice
          profile={profile}
          parts={parts}
          storage={where}
          choose={setStorage}
          byOwner={isOwnerOnly(agent, wallet)}
        />
      </ProfileForm>
    </>
  );
}

/** Where a value is stored, and since when. */
function placeOf(state: ProfileField | undefined): string {
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
    update[part] = { ...update[part], [name]: LEVELS.some((level) => level.name === field) ? Number(after) : after };
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
