/** A form from a table of its fields, which the schema of the request's body fills in: label, hint, control, the service's error below the field it is about, and the body that they make. */

import bodies from "virtual:bodies";
import {
  type ChangeEventHandler,
  type ComponentProps,
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useId,
  useRef,
} from "react";
import { Problem } from "../api/answer.ts";
import { count, labelOf } from "../formats.ts";
import { Button } from "./button.tsx";
import { type JsonObject, listOf, objectIn } from "./written.ts";

/** Path of a field → its error. */
export type Faults = ReadonlyMap<string, string>;

/** The errors of fields in an answer of the API; empty for any other problem. */
export const faultsOf = (problem: unknown): Faults =>
  new Map(problem instanceof Problem ? problem.body.details?.map(({ path, message }) => [path, message]) : []);

/** What is wrong with a field, or with the first part of it that has an error: a line of a text, or an entry of a list. */
function faultAt(faults: Faults, path: string): string | undefined {
  const own = faults.get(path);
  if (own !== undefined) return `It ${own}.`;
  const [at, said] = [...faults].find(([at]) => at.startsWith(`${path}.`)) ?? [];
  if (at === undefined || said === undefined) return undefined;
  const part = at.slice(path.length + 1);
  return /^\d+$/.test(part) ? `Entry ${count(Number(part) + 1)} ${said}.` : `${part} ${said}.`;
}

/** A field of a form as an entry of its table: a line of text unless it says otherwise. */
export type FieldEntry = {
  /** Its name in the form's data, and the path of its errors and of its value in the body. */
  name: string;
  label: ReactNode;
  hint?: ReactNode;
  /** What it begins with, where the form does not hold what is typed. */
  first?: string | undefined;
  /** Max code units. */
  max?: number;
  /** Max entries of a list. */
  most?: number;
  optional?: boolean;
  /** A remark on the value while it is typed; it is read out. */
  remark?: ReactNode;
  /** Lines of a longer text. */
  rows?: number;
  /** Whether Enter sends the form from a longer text; with Shift it makes a line. */
  sends?: boolean;
  /** Value and words of each choice. */
  choices?: readonly (readonly [value: string, words: ReactNode])[];
  type?: "text" | "url" | "number" | "password" | "checkbox";
  /** Of a number. */
  range?: readonly [least: number, greatest: number];
  placeholder?: string;
  /** What the body has for a text; `on` of a box that is checked. */
  read?: (text: string) => unknown;
};

const READ = {
  integer: Number,
  array: listOf,
  object: objectIn,
  boolean: (text: string) => text === "on",
  nullable: (text: string) => text || null,
};

/** A range with at most this many steps is a list of choices. */
const MAX_STEPS = 10;

/** The name of a field for people: `personality.riskTolerance` → `Risk tolerance`. */
export const fieldLabel = (path: string): string => labelOf(path.slice(path.lastIndexOf(".") + 1));

/** Fields of a request's body, as its schema has them. @param words by their paths: what the page says of each, and what differs */
export const fieldsOf = (body: string, words: Readonly<Record<string, Partial<FieldEntry>>>): FieldEntry[] =>
  Object.entries(words).map(([name, own]) => {
    const shape = bodies[body]?.[name];
    if (!shape) throw new Error(`The body "${body}" has no field ${name}`);
    const { kind, choices, range, most, ...limits } = shape;
    return {
      ...{ name, label: fieldLabel(name), ...limits },
      ...(kind && { read: READ[kind] }),
      ...(kind === "boolean" && { type: "checkbox" }),
      ...(most && { most, hint: `one per line, at most ${count(most)}` }),
      ...(choices && { choices: choices.map((choice) => [choice, choice] as const) }),
      ...(range && (range[1] <= MAX_STEPS ? { choices: stepsOf(range[1]) } : { type: "number", range })),
      ...own,
    };
  });

const stepsOf = (most: number): [value: string, words: string][] => [
  ["", "not stated"],
  ...Array.from({ length: most + 1 }, (_, i): [string, string] => [`${i}`, `${count(i)} of ${count(most)}`]),
];

type FieldProps = FieldEntry & {
  faults?: Faults | undefined;
  value?: string | undefined;
  change?: ((value: string) => void) | undefined;
};

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

export function Field({ name, label, hint, remark, faults, optional = false, type = "text", ...field }: FieldProps) {
  const id = useId();
  const fault = faults && faultAt(faults, name);
  const described = [fault !== undefined && `${id}-fault`, remark !== undefined && `${id}-remark`].filter(Boolean);
  const { value, first, change, max, rows, sends, choices, range: [least, greatest] = [], placeholder } = field;
  const onChange: ChangeEventHandler<Control> | undefined = change && (({ target }) => change(target.value));
  const common = {
    id,
    name,
    "aria-invalid": fault !== undefined,
    "aria-describedby": described.length > 0 ? described.join(" ") : undefined,
  };
  const attributes = {
    ...common,
    className: "field",
    required: !optional,
    onChange,
    ...(value === undefined ? { defaultValue: first } : { value }),
  };
  return (
    <div className="form-field">
      {type === "checkbox" ? (
        <Check
          {...common}
          {...(value === undefined ? { defaultChecked: first === "on" } : { checked: value === "on" })}
          onChange={change && (({ target }) => change(target.checked ? "on" : ""))}
        >
          {label}
        </Check>
      ) : (
        <label className="label" htmlFor={id}>
          {label}
          {(hint !== undefined || optional) && <span className="faint"> {hint ?? "optional"}</span>}
        </label>
      )}
      {choices ? (
        <select {...attributes}>
          {choices.map(([choice, words]) => (
            <option key={choice} value={choice}>
              {words}
            </option>
          ))}
        </select>
      ) : rows ? (
        <textarea rows={rows} maxLength={max} onKeyDown={sends ? sendAt : undefined} {...attributes} />
      ) : (
        type !== "checkbox" && (
          <input
            {...{ type, placeholder, min: least, max: greatest, maxLength: max, autoComplete: "off" }}
            inputMode={type === "number" ? "numeric" : undefined}
            {...attributes}
          />
        )
      )}
      {remark !== undefined && (
        <p className="muted remark" id={`${id}-remark`} aria-live="polite">
          {remark}
        </p>
      )}
      {fault !== undefined && (
        <p className="fault" id={`${id}-fault`}>
          {fault}
        </p>
      )}
    </div>
  );
}

function sendAt(event: KeyboardEvent<HTMLTextAreaElement>): void {
  // Enter chooses a word while a text is composed, as in Japanese.
  if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
  event.preventDefault();
  event.currentTarget.form?.requestSubmit();
}

type FieldsProps = {
  /** What is no entry is left out. */
  of: readonly (FieldEntry | false | null)[];
  faults?: Faults | undefined;
  /** What is typed, by the names of the fields, where the form holds it; each change is told. */
  values?: Readonly<Record<string, string>> | undefined;
  change?: ((name: string, value: string) => void) | undefined;
};

export const Fields = ({ of, faults, values, change }: FieldsProps) =>
  of.map(
    (field) =>
      field && (
        <Field
          key={field.name}
          {...field}
          faults={faults}
          {...(values && { value: values[field.name] ?? "" })}
          change={change && ((value) => change(field.name, value))}
        />
      ),
  );

/** Reads the trimmed text of a field by its name. */
export type FormText = (name: string) => string;

export type FormProps = Omit<FieldsProps, "of"> & {
  fields?: FieldsProps["of"];
  /** Receives what was written when the form is sent. */
  submit: (text: FormText) => unknown;
  /** The words of its button. */
  does: ReactNode;
  /** Whether it cannot be sent now. */
  busy?: boolean | undefined;
  /** Its button is not the one thing to do here. */
  weak?: boolean;
  beside?: ReactNode;
  /** What stands in place of the button, until the form can be sent. */
  instead?: ReactNode;
  /** Its heading, and a line below it. */
  title?: string;
  lead?: ReactNode;
  /** Its name, where it has no heading in or around it. */
  label?: string;
  /** "check-form" has fields and button in one line. */
  className?: "form" | "panel form" | "check-form";
  before?: ReactNode;
  /** Between fields and button. */
  children?: ReactNode;
};

export function Form({
  fields = [],
  submit,
  does,
  busy,
  weak = false,
  beside,
  instead,
  label,
  before,
  ...form
}: FormProps) {
  const { className = "form", title, lead, children, faults, ...held } = form;
  const element = useRef<HTMLFormElement>(null);
  useEffect(() => {
    // The first faulty field is brought into view, also inside a closed part of the form.
    const faulty = faults?.size ? element.current?.querySelector<HTMLElement>('[aria-invalid="true"]') : null;
    faulty?.closest("details")?.setAttribute("open", "");
    faulty?.focus();
  }, [faults]);
  const button = (
    <Button type="submit" strong={!weak} disabled={busy}>
      {does}
    </Button>
  );
  return (
    <form
      ref={element}
      className={className}
      aria-label={label ?? title}
      onSubmit={(event) => {
        event.preventDefault();
        void submit(textIn(new FormData(event.currentTarget)));
      }}
    >
      {title && <h2>{title}</h2>}
      {lead && <p className="muted">{lead}</p>}
      {before}
      <Fields of={fields} faults={faults} {...held} />
      {children}
      {instead ||
        (className === "check-form" ? (
          button
        ) : (
          <p className="actions">
            {button}
            {beside}
          </p>
        ))}
    </form>
  );
}

const textIn =
  (data: FormData): FormText =>
  (name) =>
    String(data.get(name) ?? "").trim();

/** The body that fields make, each value at its path; what is empty is left out. */
export const bodyOf = (fields: readonly FieldEntry[], text: FormText): JsonObject => bodyIn(fields, text, isEmpty);
/** The body that fields make, in which an empty field clears what was there. */
export const wholeBodyOf = (fields: readonly FieldEntry[], text: FormText): JsonObject =>
  bodyIn(fields, text, () => false);

function bodyIn(fields: readonly FieldEntry[], text: FormText, leavesOut: (value: unknown) => boolean): JsonObject {
  const body: JsonObject = {};
  for (const { name, read = (written: string) => written } of fields) {
    const typed = text(name);
    const value = leavesOut(typed) ? typed : read(typed);
    if (leavesOut(value)) continue;
    const [part, member] = name.split(".") as [string, string?];
    if (member === undefined) body[part] = value;
    else body[part] = { ...(body[part] as JsonObject | undefined), [member]: value };
  }
  return body;
}

const isEmpty = (value: unknown): boolean =>
  value === "" || (typeof value === "object" && value !== null && Object.keys(value).length === 0);

export const NO_OBJECT: Faults = new Map([["metadata", "must be a JSON object"]]);

export const Check = ({ children, ...attributes }: Omit<ComponentProps<"input">, "type">) => (
  <label className="check">
    <input type="checkbox" {...attributes} /> <span>{children}</span>
  </label>
);
