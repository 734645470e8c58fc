/** The words and the personality of an agent: each field with its place and its worth, a preview, and what changes. */
import { NARRATIVE_VALUE } from "../../../core/signals/narrative.ts";
import { SelfDescription } from "../agent/listing.tsx";
import type { Agent } from "../api/types.ts";
import { count, date } from "../formats.ts";
import { bodyOf, type FieldEntry, Fields } from "../parts/form.tsx";
import { useWallet } from "../wallet/session.ts";
import { Changes } from "./changes.tsx";
import { LEVELS, NARRATIVE, PERSONALITY, TEXTS } from "./profile-fields.tsx";
import { useStorage, Writing } from "./storage.tsx";
import {
  isOwnerOnly,
  ofProfile,
  type ProfileField,
  ProfileForm,
  type ProfileProps,
  pointsOf,
  scoreWith,
  useProfileFields,
} from "./write.tsx";

const FIELDS = [...NARRATIVE, ...PERSONALITY];

export default ofProfile(8, WordsForm);

function WordsForm(props: ProfileProps) {
  const { agent, profile } = props;
  const wallet = useWallet();
  const { shown, held, discard, write, changes, save } = useProfileFields(props, "words", FIELDS);
  const isChanged = (one: FieldEntry) => changes.some(({ field }) => field === one.name);
  // The contract has one call for the whole personality, and one for each text of the narrative.
  const parts = NARRATIVE.filter(isChanged).length + (PERSONALITY.some(isChanged) ? 1 : 0);
  const { onchain, choice } = useStorage(profile, { parts, byOwner: isOwnerOnly(agent, wallet) });
  const written = NARRATIVE.filter(({ name }) => held.values[name]?.trim() !== "").length;
  const places = new Map(profile.fields.map((field) => [field.field, placeOf(field)]));
  const fields = (of: readonly FieldEntry[]) => (
    <Fields
      of={of.map((field) => ({ ...field, hint: places.get(field.name) ?? NOT_WRITTEN }))}
      faults={write.op.faults}
      {...held}
    />
  );
  return (
    <>
      <Writing profile={profile} />
      <ProfileForm
        agent={agent}
        write={write}
        title="Words and personality"
        lead="Only what you change is written. Of a value on chain and one off chain the newer one is shown. An empty text clears the field."
        save={save({ onchain })}
        does={onchain ? "Write on chain" : "Save"}
        discard={discard}
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
        {/* A level cannot be removed once it was stated. */}
        {fields(LEVELS.map((one) => ({ ...one, choices: one.choices!.slice(shown[one.name] === "" ? 0 : 1) })))}
        <Changes
          changes={changes}
          score={{ now: profile.cred.score, after: scoreWith(profile, { narrative: written * NARRATIVE_VALUE }) }}
        />
        <details className="form-more">
          <summary>Preview: as its page will show it</summary>
          <SelfDescription agent={previewOf(agent, held.values)} />
        </details>
        {choice}
      </ProfileForm>
    </>
  );
}

const NOT_WRITTEN = "not written yet";

/** Where a value is stored, and since when. */
function placeOf(state: ProfileField): string {
  const { from } = state;
  if (!from) return NOT_WRITTEN;
  const at = state[from]?.writtenAt;
  return at ? `${from === "onchain" ? "on chain" : "off chain"} since ${date(at)}` : "on chain";
}

/** The agent as its page would show it. */
function previewOf(agent: Agent, typed: Readonly<Record<string, string>>): Agent {
  const { narrative, personality } = bodyOf(FIELDS, (name) => (typed[name] ?? "").trim());
  return { ...agent, narrative: narrative ?? null, personality: personality ?? null } as Agent;
}
