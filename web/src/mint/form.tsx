/** The form of a registration: everything that `POST /api/v2/mint` takes. What is typed is kept over a reload. */
import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import { DEFAULT_FRAMEWORK, FRAMEWORKS } from "../../../core/agents/frameworks.ts";
import { PERSONALITY_LEVELS, PERSONALITY_TEXTS } from "../../../core/agents/profile.ts";
import { SIGNALS } from "../../../core/cred/cred.ts";
import { NARRATIVE_VALUE } from "../../../core/signals/narrative.ts";
import { Check, Choice, type Faults, TextArea, TextField } from "../parts/form.tsx";
import { say } from "../say.tsx";
import { bodyOf, fieldsOf, keepDraft, keptDraft, SERVICE_NAME, SERVICE_URL } from "./body.ts";
import { useNameRemark, useReferralRemark } from "./checks.tsx";

/** The neutral framework comes first and is selected by default. */
const CHOICES = [DEFAULT_FRAMEWORK, ...FRAMEWORKS.filter((name) => name !== DEFAULT_FRAMEWORK)].map(
  (name) => [name, name] as const,
);
/** Max code points of each text of the narrative. */
const NARRATIVE = { origin: 512, mission: 512, lore: 1024, manifesto: 1024 } as const;
const MAX_PERSONALITY = 256;
const LEVELS = [["", say("mint.noLevel")], ...Array.from({ length: 11 }, (_, i) => [`${i}`, `${i}`])] as [
  string,
  string,
][];
const MAX_SERVICES = 24;
const weightOf = (signal: string): number => SIGNALS.find(({ key }) => key === signal)?.weight ?? 0;
/** Points of the score that one text of the narrative adds, and that the lock adds. */
const TEXT_POINTS = (weightOf("narrative") * NARRATIVE_VALUE) / 100;
const LOCK_POINTS = weightOf("soulbound");

type Props = {
  /** The code of the referral link that led here. */
  referralCode: string;
  faults: Faults;
  submit: (body: object) => void;
  /** The button, or what is needed before it. */
  children: ReactNode;
};

export function Form({ referralCode, faults: refused, submit, children }: Props) {
  const [draft] = useState(keptDraft);
  const [own, setOwn] = useState<Faults>(new Map());
  const form = useRef<HTMLFormElement>(null);
  const faults = own.size > 0 ? own : refused;
  useEffect(() => {
    // The first faulty field is brought into view, also inside a closed part of the form.
    const faulty = faults.size > 0 ? form.current?.querySelector<HTMLElement>('[aria-invalid="true"]') : null;
    faulty?.closest("details")?.setAttribute("open", "");
    faulty?.focus();
  }, [faults]);
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const made = bodyOf(fieldsOf(event.currentTarget));
    setOwn("faults" in made ? made.faults : new Map());
    if ("body" in made) submit(made.body);
  };
  const keepTyped = (event: FormEvent<HTMLFormElement>) => keepDraft(event.currentTarget);
  const has = (...begin: string[]) =>
    [...draft].some(([name, value]) => value.trim() !== "" && begin.some((text) => name.startsWith(text)));
  const field = (name: string) => ({ name, faults, defaultValue: draft.get(name) ?? "" });
  return (
    <form className="panel form" ref={form} onSubmit={send} onInput={keepTyped} aria-label={say("mint.title")}>
      <Identity draft={draft} faults={faults} referralCode={referralCode} />
      <Part
        title={say("mint.narrative")}
        open={has("narrative.")}
        lead={say("mint.narrativeLead", { points: TEXT_POINTS })}
      >
        {Object.entries(NARRATIVE).map(([key, max]) => (
          <TextArea
            key={key}
            {...field(`narrative.${key}`)}
            label={say(`mint.field.${key}` as "mint.field.lore")}
            hint={say(`mint.hint.${key}` as "mint.hint.lore")}
            max={max}
            optional
          />
        ))}
      </Part>
      <Part title={say("mint.personality")} open={has("personality.")} lead={say("mint.personalityLead")}>
        {PERSONALITY_TEXTS.map((key) => (
          <TextField
            key={key}
            {...field(`personality.${key}`)}
            label={say(`mint.field.${key}`)}
            max={MAX_PERSONALITY}
            optional
          />
        ))}
        {PERSONALITY_LEVELS.map((key) => (
          <Choice
            key={key}
            {...field(`personality.${key}`)}
            label={say(`mint.field.${key}`)}
            choices={LEVELS}
            optional
          />
        ))}
      </Part>
      <Part
        title={say("mint.offers")}
        open={has("services.", "skills", "domains", "metadata")}
        lead={say("mint.offersLead")}
      >
        <Services draft={draft} faults={faults} />
        <TextArea {...field("skills")} label={say("mint.skills")} hint={say("mint.wordsHint")} rows={2} optional />
        <TextArea {...field("domains")} label={say("mint.domains")} hint={say("mint.wordsHint")} rows={2} optional />
        <TextArea {...field("metadata")} label={say("mint.metadata")} hint={say("mint.metadataHint")} optional />
      </Part>
      <Soulbound checked={draft.get("soulbound") === "on"} />
      {children}
    </form>
  );
}

/** Name, framework and referral code; the name and the code are looked up while they are typed. */
function Identity({ draft, faults, referralCode }: { draft: URLSearchParams; faults: Faults; referralCode: string }) {
  const [name, setName] = useState(draft.get("name") ?? "");
  const [code, setCode] = useState(draft.get("referralCode") || referralCode);
  const nameRemark = useNameRemark(name);
  const referralRemark = useReferralRemark(code);
  return (
    <>
      <TextField
        name="name"
        label={say("mint.name")}
        hint=""
        max={64}
        value={name}
        onChange={({ target }) => setName(target.value)}
        remark={nameRemark}
        faults={faults}
      />
      <Choice
        name="framework"
        label={say("mint.framework")}
        choices={CHOICES}
        defaultValue={draft.get("framework") ?? DEFAULT_FRAMEWORK}
        faults={faults}
      />
      <TextField
        name="referralCode"
        label={say("mint.referralCode")}
        hint={say("mint.referralHint")}
        max={32}
        optional
        value={code}
        onChange={({ target }) => setCode(target.value)}
        remark={referralRemark}
        faults={faults}
      />
    </>
  );
}

type PartProps = { title: string; lead: string; open: boolean; children: ReactNode };

/** A part of the form that most leave out. It stays open over a reload when something is written in it. */
const Part = ({ title, lead, open, children }: PartProps) => (
  <details className="form-more" open={open}>
    <summary>{title}</summary>
    <p className="muted">{lead}</p>
    {children}
  </details>
);

/** Services as pairs of a name and an address; the errors are below the last one. */
function Services({ draft, faults }: { draft: URLSearchParams; faults: Faults }) {
  const names = draft.getAll(SERVICE_NAME);
  const urls = draft.getAll(SERVICE_URL);
  const [rows, setRows] = useState(() => Array.from({ length: Math.max(1, names.length) }, (_, i) => i));
  const id = useId();
  const found = [...faults].find(([path]) => path === "services" || path.startsWith("services."));
  return (
    <fieldset className="form-services" aria-describedby={found && id}>
      <legend className="label">
        {say("mint.services")} <span className="faint">{say("mint.servicesHint")}</span>
      </legend>
      {rows.map((row) => (
        <div key={row} className="form-service">
          <input
            className="field"
            name={SERVICE_NAME}
            defaultValue={names[row]}
            maxLength={32}
            placeholder="mcp"
            aria-label={say("mint.serviceName")}
            aria-invalid={found !== undefined}
          />
          <input
            className="field"
            name={SERVICE_URL}
            defaultValue={urls[row]}
            maxLength={512}
            placeholder="https://"
            aria-label={say("mint.serviceUrl")}
          />
        </div>
      ))}
      {found && (
        <p className="fault" id={id}>
          {say("mint.serviceFault", { name: found[0].slice("services.".length) || "–", said: found[1] })}
        </p>
      )}
      {rows.length < MAX_SERVICES && (
        <p className="actions">
          <button type="button" className="button" onClick={() => setRows([...rows, rows.length])}>
            {say("mint.addService")}
          </button>
        </p>
      )}
    </fieldset>
  );
}

/** The lock, with what it means: it cannot be taken back. */
function Soulbound({ checked }: { checked: boolean }) {
  const [on, setOn] = useState(checked);
  return (
    <div className="form-lock">
      <Check name="soulbound" checked={on} onChange={({ target }) => setOn(target.checked)}>
        {say("mint.soulbound")}
      </Check>
      <p className={on ? "warn-text" : "muted"}>{say("mint.soulboundMeaning", { points: LOCK_POINTS })}</p>
    </div>
  );
}
