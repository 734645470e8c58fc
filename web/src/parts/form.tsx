/** Fields of forms: label, hint, control, and the service's error below the field it is about. */
import { type ChangeEventHandler, type ReactNode, useId } from "react";
import { Problem } from "../api/answer.ts";
import { count } from "../formats.ts";

/** Path of a field → its error. */
export type Faults = ReadonlyMap<string, string>;

/** The errors of fields in an answer of the API; empty for any other problem. */
export const faultsOf = (problem: unknown): Faults =>
  new Map(problem instanceof Problem ? problem.body.details?.map(({ path, message }) => [path, message]) : []);

/** The errors of fields in the refusal of an operation; undefined while it is not refused. */
export const faultsIn = (state: { at: string; problem?: unknown }): Faults | undefined =>
  state.at === "refused" ? faultsOf(state.problem) : undefined;

/** Makes the properties of optional fields of a form. @param max characters of a value */
export const fieldsWith =
  (faults: Faults | undefined) => (name: string, label: string, defaultValue: string, max: number) => ({
    name,
    label,
    defaultValue,
    max,
    optional: true,
    ...(faults && { faults }),
  });

/** What is wrong with a field, or with the first part of it that has an error: a line of a text, or an entry of a list. */
function faultAt(faults: Faults, path: string): string | undefined {
  const own = faults.get(path);
  if (own !== undefined) return `It ${own}.`;
  const [at, said] = [...faults].find(([at]) => at.startsWith(`${path}.`)) ?? [];
  if (at === undefined || said === undefined) return undefined;
  const part = at.slice(path.length + 1);
  return /^\d+$/.test(part) ? `Entry ${count(Number(part) + 1)} ${said}.` : `${part} ${said}.`;
}

type FieldProps = {
  /** The name in the form's data, and the path of its errors unless `path` is given. */
  name: string;
  label: ReactNode;
  hint?: ReactNode;
  path?: string;
  faults?: Faults;
  /** A remark on the value while it is typed; it is read out. */
  remark?: ReactNode;
  value?: string;
  defaultValue?: string;
  /** Max code units. */
  max?: number;
  optional?: boolean;
  disabled?: boolean;
};
type Control = Pick<FieldProps, "name" | "value" | "defaultValue" | "disabled"> & {
  id: string;
  maxLength?: number;
  required: boolean;
  "aria-invalid": boolean;
  "aria-describedby"?: string;
};

/** The frame of every field; `control` makes the control from its attributes. */
function Field({ control, ...field }: FieldProps & { control: (attributes: Control) => ReactNode }) {
  const {
    name,
    label,
    hint,
    path = name,
    faults,
    remark,
    value,
    defaultValue,
    max,
    optional = false,
    disabled,
  } = field;
  const id = useId();
  const fault = faults && faultAt(faults, path);
  const described = [fault !== undefined && `${id}-fault`, remark !== undefined && `${id}-remark`].filter(Boolean);
  return (
    <div className="form-field">
      <label className="label" htmlFor={id}>
        {label}
        {(hint !== undefined || optional) && <span className="faint"> {hint ?? "optional"}</span>}
      </label>
      {control({
        id,
        name,
        required: !optional,
        "aria-invalid": fault !== undefined,
        ...(described.length > 0 && { "aria-describedby": described.join(" ") }),
        ...(max !== undefined && { maxLength: max }),
        ...(value !== undefined && { value }),
        ...(defaultValue !== undefined && { defaultValue }),
        ...(disabled !== undefined && { disabled }),
      })}
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

type TextProps = FieldProps & {
  type?: "text" | "url" | "email" | "number" | "password";
  inputMode?: "numeric" | "decimal" | "url" | "email";
  placeholder?: string;
  pattern?: string;
  onChange?: ChangeEventHandler<HTMLInputElement>;
};
export const TextField = ({ type = "text", inputMode, placeholder, pattern, onChange, ...field }: TextProps) => (
  <Field
    {...field}
    control={(attributes) => (
      <input
        className="field"
        autoComplete="off"
        type={type}
        inputMode={inputMode}
        placeholder={placeholder}
        pattern={pattern}
        onChange={onChange}
        {...attributes}
      />
    )}
  />
);

type AreaProps = FieldProps & { rows?: number; onChange?: ChangeEventHandler<HTMLTextAreaElement> };
export const TextArea = ({ rows = 3, onChange, ...field }: AreaProps) => (
  <Field
    {...field}
    control={(attributes) => <textarea className="field" rows={rows} onChange={onChange} {...attributes} />}
  />
);

type ChoiceProps = FieldProps & {
  /** Value and words of each choice. */
  choices: readonly (readonly [value: string, words: ReactNode])[];
  onChange?: ChangeEventHandler<HTMLSelectElement>;
};
export const Choice = ({ choices, onChange, ...field }: ChoiceProps) => (
  <Field
    {...field}
    control={({ maxLength: _, ...attributes }) => (
      <select className="field" onChange={onChange} {...attributes}>
        {choices.map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </select>
    )}
  />
);

type CheckProps = {
  name: string;
  children: ReactNode;
  defaultChecked?: boolean;
  checked?: boolean;
  onChange?: ChangeEventHandler<HTMLInputElement>;
};
export const Check = ({ children, ...attributes }: CheckProps) => (
  <label className="check">
    <input type="checkbox" {...attributes} /> <span>{children}</span>
  </label>
);
