/** The form of a registration: everything that `POST /api/v2/mint` takes. What is typed is kept over a reload. */
import { type ReactNode, useState } from "react";
import { DEFAULT_FRAMEWORK, FRAMEWORKS } from "../../../core/agents/frameworks.ts";
import { SIGNALS } from "../../../core/cred/cred.ts";
import { NARRATIVE_VALUE } from "../../../core/signals/narrative.ts";
import { count } from "../formats.ts";
import { NARRATIVE, OFFERED, PERSONALITY, Services, servicesOf, type TypedService } from "../manage/profile-fields.tsx";
import { bodyOf, type Faults, type FieldEntry, Fields, Form, fieldsOf, NO_OBJECT } from "../parts/form.tsx";
import { keepDraft, useDraft, useTyped } from "../parts/typed.tsx";
import { useNameRemark, useReferralRemark } from "./checks.tsx";

const TEXT_DRAFT = "mint";
const SERVICES_DRAFT = "mint.services";
/** Forgets what is typed, once it is registered. */
export function forgetTyped(): void {
  for (const name of [TEXT_DRAFT, SERVICES_DRAFT]) keepDraft(name, null);
}

/** The neutral framework comes first and is selected by default. */
const CHOICES = [DEFAULT_FRAMEWORK, ...FRAMEWORKS.filter((name) => name !== DEFAULT_FRAMEWORK)].map(
  (name) => [name, name] as const,
);
const IDENTITY = fieldsOf("mint", {
  name: { hint: "" },
  framework: { hint: "", choices: CHOICES },
  referralCode: { hint: "if you have one" },
});
const LOCK = fieldsOf("mint", { soulbound: { label: "Soulbound: lock the identity to this wallet" } });
/** Words beside each text of the narrative. */
const STORIES: Record<string, string> = {
  "narrative.origin": "where it comes from",
  "narrative.mission": "what it is for",
  "narrative.lore": "the story around it",
  "narrative.manifesto": "what it believes",
};
const STORY = NARRATIVE.map((field) => ({ ...field, hint: STORIES[field.name] }));
const FIELDS = [...IDENTITY, ...NARRATIVE, ...PERSONALITY, ...OFFERED, ...LOCK];

const weightOf = (signal: string): number => SIGNALS.find(({ key }) => key === signal)?.weight ?? 0;
/** Points of the score that one text of the narrative adds, and that the lock adds. */
const TEXT_POINTS = (weightOf("narrative") * NARRATIVE_VALUE) / 100;
const LOCK_POINTS = weightOf("soulbound");

type Props = {
  /** The code of the referral link that led here. */
  referralCode: string;
  faults: Faults;
  submit: (body: object) => void;
  does: string;
  /** What is needed before it can be sent. */
  instead: ReactNode;
};

export function MintForm({ referralCode, faults: refused, submit, does, instead }: Props) {
  const { held } = useTyped(TEXT_DRAFT, { framework: DEFAULT_FRAMEWORK, referralCode });
  const [services, setServices] = useDraft<TypedService[]>(SERVICES_DRAFT);
  const [own, setOwn] = useState<Faults | null>(null);
  const faults = own ?? refused;
  const { values } = held;
  const remarks: Record<string, ReactNode> = {
    name: useNameRemark(values.name ?? ""),
    referralCode: useReferralRemark(values.referralCode ?? ""),
  };
  const isTyped = (of: readonly FieldEntry[]) => of.some(({ name }) => values[name]?.trim());
  const fields = (of: readonly FieldEntry[]) => <Fields of={of} faults={faults} {...held} />;
  return (
    <Form
      className="panel form"
      label="Register an agent"
      faults={faults}
      fields={IDENTITY.map((field) => ({ ...field, remark: remarks[field.name] }))}
      {...held}
      submit={() => {
        const body = bodyOf(FIELDS, (name) => (values[name] ?? "").trim());
        setOwn(body.metadata === null ? NO_OBJECT : null);
        const listed = servicesOf(services ?? [], {});
        if (body.metadata !== null) submit({ ...body, ...(Object.keys(listed).length > 0 && { services: listed }) });
      }}
      does={does}
      instead={instead}
    >
      <Part
        title="Narrative"
        open={isTyped(NARRATIVE)}
        lead={`Each of the four texts adds ${count(TEXT_POINTS)} points to the score.`}
      >
        {fields(STORY)}
      </Part>
      <Part
        title="Personality"
        open={isTyped(PERSONALITY)}
        lead="How it behaves. Shown on its page; it does not change the score."
      >
        {fields(PERSONALITY)}
      </Part>
      <Part
        title="Services, skills and more"
        open={services !== null || isTyped(OFFERED)}
        lead="What others can ask of it, and where. The directory's search reads it."
      >
        <Services of={services ?? []} set={setServices} faults={faults} />
        {fields(OFFERED)}
      </Part>
      <div className="form-lock">
        {/* It cannot be taken back. */}
        {fields(LOCK.map((field) => ({ ...field, remark: <Locked isOn={values.soulbound === "on"} /> })))}
      </div>
    </Form>
  );
}

const Locked = ({ isOn }: { isOn: boolean }) => (
  <span className={isOn ? "warn-text" : undefined}>
    For ever: it can never be sold, given away or moved to a new wallet, also not when the key is lost. It adds{" "}
    {count(LOCK_POINTS)} points.
  </span>
);

type PartProps = { title: string; lead: string; open: boolean; children: ReactNode };

/** A part of the form that most leave out. It is open at first when something is written in it. */
function Part({ title, lead, open, children }: PartProps) {
  const [atFirst] = useState(open);
  return (
    <details className="form-more" open={atFirst}>
      <summary>{title}</summary>
      <p className="muted">{lead}</p>
      {children}
    </details>
  );
}
