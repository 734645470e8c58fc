/** The traits of an agent: those it has, and up to ten new ones. */
import { normalForm } from "../../../core/normal-form.ts";
import { TRAIT_VALUE } from "../../../core/signals/traits.ts";
import { count, date } from "../formats.ts";
import { type FieldEntry, fieldsOf } from "../parts/form.tsx";
import { Panel } from "../parts/panel.tsx";
import { type PairFields, Pairs, useDraft } from "../parts/typed.tsx";
import { useStorage, Writing } from "./storage.tsx";
import {
  ofProfile,
  type Profile,
  ProfileForm,
  type ProfileProps,
  pointsOf,
  scoreWith,
  useProfileWrite,
} from "./write.tsx";

type Trait = { name: string; category: string };
const EMPTY: Trait = { name: "", category: "" };
const [LIST, NAME, CATEGORY] = fieldsOf("update", {
  traits: {},
  "traits.name": { label: "Trait", hint: "" },
  "traits.category": {},
}) as [FieldEntry, FieldEntry, FieldEntry];

const keyOf = (name: string) => normalForm(name.trim(), "NFC", NAME.max!).toLowerCase();
const rawOf = (traits: number) => Math.min(100, traits * TRAIT_VALUE);

export default ofProfile(6, ({ agent, profile }) => (
  <>
    <Writing profile={profile} />
    <Present profile={profile} />
    <TraitsForm agent={agent} profile={profile} />
  </>
));

const Present = ({ profile: { traits } }: { profile: Profile }) => (
  <Panel title="Traits it has">
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
  </Panel>
);

function TraitsForm({ agent, profile }: ProfileProps) {
  const [draft, setDraft] = useDraft<Trait[]>(`traits.${agent.tokenId}`);
  const write = useProfileWrite(agent, "traits", () => setDraft(null));
  const rows = draft?.length ? draft : [EMPTY];
  const has = new Map(profile.traits.map(({ name, category }) => [keyOf(name), category]));
  const fresh = rows.filter(({ name }) => name.trim() !== "" && !has.has(keyOf(name)));
  const { onchain, choice } = useStorage(profile, { parts: fresh.length, traits: fresh.length });
  const save = () => {
    const traits = fresh.map(({ name, category }) => ({
      name: name.trim(),
      ...(category.trim() && { category: category.trim() }),
    }));
    write.save({ traits }, { onchain });
  };
  const fields = (row: Trait, i: number): PairFields<Trait> => {
    const category = has.get(keyOf(row.name));
    const path = `traits.${fresh.indexOf(row)}`;
    const remark = category && { remark: `The agent has this trait already, in the category ${category}.` };
    return [
      { ...NAME, of: "name", name: `${path}.name`, optional: i > 0, ...remark },
      { ...CATEGORY, of: "category", name: `${path}.category` },
    ];
  };
  return (
    <ProfileForm
      agent={agent}
      write={write}
      title="Add traits"
      lead={
        <>
          Each trait adds {count(pointsOf("traits", TRAIT_VALUE))} points to the score, up to{" "}
          {count(Math.ceil(100 / TRAIT_VALUE))} traits. A trait stays: it cannot be taken back.
        </>
      }
      save={fresh.length > 0 ? save : null}
      does={onchain ? "Write on chain" : "Add"}
    >
      <Pairs
        of={rows}
        empty={EMPTY}
        max={LIST.most!}
        keepsOne
        set={setDraft}
        faults={write.op.faults}
        fields={fields}
      />
      {fresh.length > 0 && (
        <p className="muted" role="status">
          The score goes from {count(profile.cred.score)} to{" "}
          {count(scoreWith(profile, { traits: rawOf(profile.traits.length + fresh.length) }))}.
        </p>
      )}
      {choice}
    </ProfileForm>
  );
}
