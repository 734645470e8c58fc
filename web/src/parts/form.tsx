/** A form from a table of its fields: label, hint, control, the service's error below the field it is about, and the body that they make. */
import { type ChangeEventHandler, type ReactNode, useId } from "react";
import { Problem } from "../api/answer.ts";
import { count } from "../formats.ts";
import { Button } from "./button.tsx";

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
  /** The name in the form's data, and the path of its errors and of its value in the body unless `path` is given. */
  name: string;
  label: ReactNode;
  hint?: ReactNode;
  path?: string;
  /** What it begins with, where the form does not hold what is typed. */
  first?: string | undefined;
  /** Max code units. */
  max?: number;
  optional?: boolean;
  /** A remark on the value while it is typed; it is read out. */
  remark?: ReactNode;
  /** Lines of a longer text. */
  rows?: number;
  /** Value and words of each choice. */
  choices?: readonly (readonly [value: string, words: ReactNode])[];
  type?: "text" | "url" | "number" | "password";
  inputMode?: "numeric";
  placeholder?: string;
  /** What the body has for a text. */
  read?: (text: string) => unknown;
};

type FieldProps = FieldEntry & {
  faults?: Faults | undefined;
  value?: string | undefined;
  change?: ((value: string) => void) | undefined;
};

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

export function Field({ name, label, hint, path = name, remark, faults, optional = false, ...field }: FieldProps) {
  const id = useId();
  const fault = faults && faultAt(faults, path);
  const described = [fault !== undefined && `${id}-fault`, remark !== undefined && `${id}-remark`].filter(Boolean);
  const { value, first, change, max, rows, choices, type = "text", inputMode, placeholder } = field;
  const onChange: ChangeEventHandler<Control> | undefined = change && (({ target }) => change(target.value));
  const attributes = {
    id,
    name,
    className: "field",
    required: !optional,
    "aria-invalid": fault !== undefined,
    "aria-describedby": described.length > 0 ? described.join(" ") : undefined,
    onChange,
    ...(value === undefined ? { defaultValue: first } : { value }),
  };
  return (
    <div className="form-field">
      <label className="label" htmlFor={id}>
        {label}
        {(hint !== undefined || optional) && <span className="faint"> {hint ?? "optional"}</span>}
      </label>
      {choices ? (
        <select {...attributes}>
          {choices.map(([choice, words]) => (
            <option key={choice} value={choice}>
              {words}
            </option>
          ))}
        </select>
      ) : rows ? (
        <textarea rows={rows} maxLength={max} {...attributes} />
      ) : (
        <input {...{ type, inputMode, placeholder }} autoComplete="off" maxLength={max} {...attributes} />
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

type FormProps = Omit<FieldsProps, "of"> & {
  fields?: FieldsProps["of"];
  /** Receives what was written when the form is sent. */
  submit: (text: FormText) => unknown;
  /** The words of its button. */
  does: ReactNode;
  /** Whether it cannot be sent now. */
  busy?: boolean | undefined;
  /** Its button is not the one thing to do here. */
  weak?: boolean;
  /** What stands beside the button. */
  beside?: ReactNode;
  /** Its name, where it has no heading around it. */
  label?: string;
  /** "check-form" has fields and button in one line. */
  className?: "form" | "panel form" | "check-form";
  /** Above the fields. */
  before?: ReactNode;
  /** Between fields and button. */
  children?: ReactNode;
};

export function Form({ fields = [], submit, does, busy, weak = false, beside, label, before, ...form }: FormProps) {
  const { className = "form", children, ...held } = form;
  const button = (
    <Button type="submit" strong={!weak} disabled={busy}>
      {does}
    </Button>
  );
  return (
    <form
      className={className}
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault();
        void submit(textIn(new FormData(event.currentTarget)));
      }}
    >
      {before}
      <Fields of={fields} {...held} />
      {children}
      {className === "check-form" ? (
        button
      ) : (
        <p className="actions">
          {button}
          {beside}
        </p>
      )}
    </form>
  );
}

export const textIn =
  (data: { get(name: string): unknown }): FormText =>
  (name) =>
    String(data.get(name) ?? "").trim();

type Body = Record<string, unknown>;

/** The body that fields make, each value at its path; what is empty is left out. */
export const bodyOf = (fields: readonly FieldEntry[], text: FormText): Body => bodyIn(fields, text, isEmpty);
/** The body that fields make, in which an empty field clears what was there. */
export const wholeBodyOf = (fields: readonly FieldEntry[], text: FormText): Body => bodyIn(fields, text, () => false);

function bodyIn(fields: readonly FieldEntry[], text: FormText, leavesOut: (value: unknown) => boolean): Body {
  const body: Body = {};
  for (const { name, path = name, read = (written: string) => written } of fields) {
    const typed = text(name);
    const value = leavesOut(typed) ? typed : read(typed);
    if (leavesOut(value)) continue;
    const [part, member] = path.split(".") as [string, string?];
    if (member === undefined) body[part] = value;
    else body[part] = { ...(body[part] as Body | undefined), [member]: value };
  }
  return body;
}

const isEmpty = (value: unknown): boolean =>
  value === "" || (typeof value === "object" && value !== null && Object.keys(value).length === 0);

export const NO_OBJECT: Faults = new Map([["metadata", "must be a JSON object"]]);

/** The JSON object of a text, empty without a text; null when it is none. */
export function objectIn(text: string): Body | null {
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Body) : null;
  } catch {
    return null;
  }
}

type CheckProps = {
  name: string;
  children: ReactNode;
  checked?: boolean;
  onChange?: ChangeEventHandler<HTMLInputElement>;
};
export const Check = ({ children, ...attributes }: CheckProps) => (
  <label className="check">
    <input type="checkbox" {...attributes} /> <span>{children}</span>
  </label>
);
