/** The form of a registration: everything that `POST /api/v2/mint` takes. What is typed is kept over a reload. */
import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import { DEFAULT_FRAMEWORK, FRAMEWORKS } from "../../../core/agents/frameworks.ts";
import { NARRATIVE_FIELDS, PERSONALITY_LEVELS, PERSONALITY_TEXTS } from "../../../core/agents/profile.ts";
import { SIGNALS } from "../../../core/cred/cred.ts";
import { NARRATIVE_VALUE } from "../../../core/signals/narrative.ts";
import { count } from "../formats.ts";
import { Action } from "../parts/button.tsx";
import { Check, Choice, type Faults, TextArea, TextField } from "../parts/form.tsx";
import { keep, kept } from "../stored.ts";
import { useNameRemark, useReferralRemark } from "./checks.tsx";

/** Names of the repeated fields of one service: the pairs are in the order of the form. */
const SERVICE_NAME = "services.name";
const SERVICE_URL = "services.url";

type Body = Record<string, unknown>;
type MintInput = { body: Body } | { faults: Faults };

/** @returns the body of `POST /api/v2/mint`, or the errors of fields that cannot be written as JSON */
function bodyOf(form: URLSearchParams): MintInput {
  const text = (name: string) => (form.get(name) ?? "").trim();
  const part = (name: string, fields: readonly string[], read: (value: string) => unknown = (value) => value) =>
    fields.flatMap((field) => {
      const value = text(`${name}.${field}`);
      return value ? [[field, read(value)] as const] : [];
    });
  const personality = [
    ...part("personality", PERSONALITY_TEXTS),
    ...part("personality", PERSONALITY_LEVELS, (value) => Number(value)),
  ];
  const metadata = readObject(text("metadata"));
  if (metadata === null) return { faults: new Map([["metadata", "must be a JSON object"]]) };
  const body = {
    name: text("name"),
    framework: text("framework"),
    soulbound: form.get("soulbound") === "on",
    personality: Object.fromEntries(personality),
    narrative: Object.fromEntries(part("narrative", NARRATIVE_FIELDS)),
    services: servicesOf(form),
    skills: wordsOf(text("skills")),
    domains: wordsOf(text("domains")),
    metadata,
    referralCode: text("referralCode"),
  };
  return { body: Object.fromEntries(Object.entries(body).filter(([, value]) => !isEmpty(value))) };
}

/** One word to a line or between commas. */
const wordsOf = (text: string): string[] =>
  text
    .split(/[,\n]/)
    .map((word) => word.trim())
    .filter((word) => word !== "");

function servicesOf(form: URLSearchParams): Record<string, string> {
  const urls = form.getAll(SERVICE_URL);
  const named = form.getAll(SERVICE_NAME).map((name, i) => [name.trim(), (urls[i] ?? "").trim()] as const);
  return Object.fromEntries(named.filter(([name, url]) => name !== "" && url !== ""));
}

/** The object in a JSON text, empty without a text; null when it is none. */
function readObject(text: string): Body | null {
  if (text === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Body) : null;
  } catch {
    return null;
  }
}

const isEmpty = (value: unknown): boolean =>
  value === "" || (typeof value === "object" && value !== null && Object.keys(value).length === 0);

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
const NARRATIVE = [
  { key: "origin", label: "Origin", hint: "where it comes from", max: 512 },
  { key: "mission", label: "Mission", hint: "what it is for", max: 512 },
  { key: "lore", label: "Lore", hint: "the story around it", max: 1024 },
  { key: "manifesto", label: "Manifesto", hint: "what it believes", max: 1024 },
];
const PERSONALITY_LABELS = {
  quirks: "Quirks",
  communicationStyle: "Communication style",
  values: "Values",
  humor: "Humor",
  riskTolerance: "Risk tolerance, 0 to 10",
  autonomyLevel: "Autonomy, 0 to 10",
} as const;
const MAX_PERSONALITY = 256;
const LEVELS = [["", "not stated"], ...Array.from({ length: 11 }, (_, i) => [`${i}`, `${i}`])] as [string, string][];
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
    <form className="panel form" ref={form} onSubmit={send} onInput={keepTyped} aria-label="Register an agent">
      <Identity draft={draft} faults={faults} referralCode={referralCode} />
      <Part
        title="Narrative"
        open={has("narrative.")}
        lead={`Each of the four texts adds ${count(TEXT_POINTS)} points to the score.`}
      >
        {NARRATIVE.map(({ key, ...text }) => (
          <TextArea key={key} {...field(`narrative.${key}`)} {...text} optional />
        ))}
      </Part>
      <Part
        title="Personality"
        open={has("personality.")}
        lead="How it behaves. Shown on its page; it does not change the score."
      >
        {PERSONALITY_TEXTS.map((key) => (
          <TextField
            key={key}
            {...field(`personality.${key}`)}
            label={PERSONALITY_LABELS[key]}
            max={MAX_PERSONALITY}
            optional
          />
        ))}
        {PERSONALITY_LEVELS.map((key) => (
          <Choice
            key={key}
            {...field(`personality.${key}`)}
            label={PERSONALITY_LABELS[key]}
            choices={LEVELS}
            optional
          />
        ))}
      </Part>
      <Part
        title="Services, skills and more"
        open={has("services.", "skills", "domains", "metadata")}
        lead="What others can ask of it, and where. The directory's search reads it."
      >
        <Services draft={draft} faults={faults} />
        <TextArea {...field("skills")} label="Skills" hint="one per line, at most 24" rows={2} optional />
        <TextArea {...field("domains")} label="Domains" hint="one per line, at most 24" rows={2} optional />
        <TextArea {...field("metadata")} label="Metadata" hint="a JSON object, shown as it is" optional />
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
        label="Name"
        hint=""
        max={64}
        value={name}
        onChange={({ target }) => setName(target.value)}
        remark={nameRemark}
        faults={faults}
      />
      <Choice
        name="framework"
        label="Framework"
        choices={CHOICES}
        defaultValue={draft.get("framework") ?? DEFAULT_FRAMEWORK}
        faults={faults}
      />
      <TextField
        name="referralCode"
        label="Referral code"
        hint="if you have one"
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
