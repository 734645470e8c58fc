/** The form of a registration: everything that `POST /api/v2/mint` takes. What is typed is kept over a reload. */
import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import { DEFAULT_FRAMEWORK, FRAMEWORKS } from "../../../core/agents/frameworks.ts";
import { SIGNALS } from "../../../core/cred/cred.ts";
import { NARRATIVE_VALUE } from "../../../core/signals/narrative.ts";
import { count } from "../formats.ts";
import { Action } from "../parts/button.tsx";
import {
  bodyOf,
  Check,
  type Faults,
  Field,
  type FieldEntry,
  Fields,
  NO_OBJECT,
  objectIn,
  textIn,
} from "../parts/form.tsx";
import { listOf } from "../people/fields.ts";
import { keep, kept } from "../stored.ts";
import { useNameRemark, useReferralRemark } from "./checks.tsx";

/** Names of the repeated fields of one service: the pairs are in the order of the form. */
const SERVICE_NAME = "services.name";
const SERVICE_URL = "services.url";

function servicesOf(form: URLSearchParams): Record<string, string> {
  const urls = form.getAll(SERVICE_URL);
  const named = form.getAll(SERVICE_NAME).map((name, i) => [name.trim(), (urls[i] ?? "").trim()] as const);
  return Object.fromEntries(named.filter(([name, url]) => name !== "" && url !== ""));
}

const DRAFT = "mint.draft";

/** What is written in the form is kept in this tab, so that a reload loses no text. */
export const keepDraft = (form: HTMLFormElement | null): void => keep("tab", DRAFT, form && fieldsOf(form).toString());
const keptDraft = (): URLSearchParams => new URLSearchParams(kept<string>("tab", DRAFT) ?? "");

const fieldsOf = (form: HTMLFormElement): URLSearchParams =>
  new URLSearchParams([...new FormData(form)].map(([name, value]): [string, string] => [name, String(value)]));

/** The neutral framework comes first and is selected by default. */
const CHOICES = [DEFAULT_FRAMEWORK, ...FRAMEWORKS.filter((name) => name !== DEFAULT_FRAMEWORK)].map(
  (name) => [name, name] as const,
);
/** The texts of the narrative; `max` in code points. */
const NARRATIVE: FieldEntry[] = [
  { name: "narrative.origin", label: "Origin", hint: "where it comes from", rows: 3, max: 512, optional: true },
  { name: "narrative.mission", label: "Mission", hint: "what it is for", rows: 3, max: 512, optional: true },
  { name: "narrative.lore", label: "Lore", hint: "the story around it", rows: 3, max: 1024, optional: true },
  { name: "narrative.manifesto", label: "Manifesto", hint: "what it believes", rows: 3, max: 1024, optional: true },
];
const LEVEL = {
  choices: [["", "not stated"], ...Array.from({ length: 11 }, (_, i) => [`${i}`, `${i}`])] as [string, string][],
  read: Number,
  optional: true,
};
const PERSONALITY: FieldEntry[] = [
  { name: "personality.quirks", label: "Quirks", max: 256, optional: true },
  { name: "personality.communicationStyle", label: "Communication style", max: 256, optional: true },
  { name: "personality.values", label: "Values", max: 256, optional: true },
  { name: "personality.humor", label: "Humor", max: 256, optional: true },
  { name: "personality.riskTolerance", label: "Risk tolerance, 0 to 10", ...LEVEL },
  { name: "personality.autonomyLevel", label: "Autonomy, 0 to 10", ...LEVEL },
];
const WORDS = { hint: "one per line, at most 24", rows: 2, optional: true, read: listOf };
const OFFERED: FieldEntry[] = [
  { name: "skills", label: "Skills", ...WORDS },
  { name: "domains", label: "Domains", ...WORDS },
  {
    name: "metadata",
    label: "Metadata",
    hint: "a JSON object, shown as it is",
    rows: 3,
    optional: true,
    read: objectIn,
  },
];
const NAME: FieldEntry = { name: "name", label: "Name", hint: "", max: 64 };
const FRAMEWORK: FieldEntry = { name: "framework", label: "Framework", choices: CHOICES };
const REFERRAL_CODE: FieldEntry = {
  ...{ name: "referralCode", label: "Referral code", hint: "if you have one", max: 32, optional: true },
};
const FIELDS = [NAME, FRAMEWORK, REFERRAL_CODE, ...NARRATIVE, ...PERSONALITY, ...OFFERED];

/** The body of `POST /api/v2/mint`; null while the metadata is no JSON object. */
function mintBodyOf(form: URLSearchParams): object | null {
  const services = servicesOf(form);
  const body = bodyOf(FIELDS, textIn(form));
  return body.metadata === null
    ? null
    : {
        ...body,
        soulbound: form.get("soulbound") === "on",
        ...(Object.keys(services).length > 0 && { services }),
      };
}

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

export function MintForm({ referralCode, faults: refused, submit, children }: Props) {
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
    const body = mintBodyOf(fieldsOf(event.currentTarget));
    setOwn(new Map(body === null ? NO_OBJECT : []));
    if (body !== null) submit(body);
  };
  const keepTyped = (event: FormEvent<HTMLFormElement>) => keepDraft(event.currentTarget);
  const has = (...begin: string[]) =>
    [...draft].some(([name, value]) => value.trim() !== "" && begin.some((text) => name.startsWith(text)));
  const fields = (of: readonly FieldEntry[]) => (
    <Fields of={of.map((field) => ({ ...field, first: draft.get(field.name) ?? "" }))} faults={faults} />
  );
  return (
    <form className="panel form" ref={form} onSubmit={send} onInput={keepTyped} aria-label="Register an agent">
      <Identity draft={draft} faults={faults} referralCode={referralCode} />
      <Part
        title="Narrative"
        open={has("narrative.")}
        lead={`Each of the four texts adds ${count(TEXT_POINTS)} points to the score.`}
      >
        {fields(NARRATIVE)}
      </Part>
      <Part
        title="Personality"
        open={has("personality.")}
        lead="How it behaves. Shown on its page; it does not change the score."
      >
        {fields(PERSONALITY)}
      </Part>
      <Part
        title="Services, skills and more"
        open={has("services.", "skills", "domains", "metadata")}
        lead="What others can ask of it, and where. The directory's search reads it."
      >
        <Services draft={draft} faults={faults} />
        {fields(OFFERED)}
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
      <Field {...NAME} value={name} change={setName} remark={nameRemark} faults={faults} />
      <Field {...FRAMEWORK} first={draft.get("framework") ?? DEFAULT_FRAMEWORK} faults={faults} />
      <Field {...REFERRAL_CODE} value={code} change={setCode} remark={referralRemark} faults={faults} />
    </>
  );
}

/** A part of the form that most leave out. It stays open over a reload when something is written in it. */
const Part = ({ title, lead, open, children }: { title: string; lead: string; open: boolean; children: ReactNode }) => (
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
        Services <span className="faint">a name (mcp, a2a, web) and its address</span>
      </legend>
      {rows.map((row) => (
        <div key={row} className="form-service">
          <input
            className="field"
            name={SERVICE_NAME}
            defaultValue={names[row]}
            maxLength={32}
            placeholder="mcp"
            aria-label="Name of the service"
            aria-invalid={found !== undefined}
          />
          <input
            className="field"
            name={SERVICE_URL}
            defaultValue={urls[row]}
            maxLength={512}
            placeholder="https://"
            aria-label="Address of the service"
          />
        </div>
      ))}
      {found && (
        <p className="fault" id={id}>
          {found[0].slice("services.".length) || "–"}: it {found[1]}.
        </p>
      )}
      {rows.length < MAX_SERVICES && <Action onClick={() => setRows([...rows, rows.length])}>Add a service</Action>}
    </fieldset>
  );
}

/** The lock, with what it means: it cannot be taken back. */
function Soulbound({ checked }: { checked: boolean }) {
  const [on, setOn] = useState(checked);
  return (
    <div className="form-lock">
      <Check name="soulbound" checked={on} onChange={({ target }) => setOn(target.checked)}>
        Soulbound: lock the identity to this wallet
      </Check>
      <p className={on ? "warn-text" : "muted"}>
        For ever: it can never be sold, given away or moved to a new wallet, also not when the key is lost. It adds{" "}
        {count(LOCK_POINTS)} points.
      </p>
    </div>
  );
}
