/** The fields of a request: what its path, its query and its body take, filled in so that it works here. */
import type { Operation, Parameter } from "../../../core/described-operations.ts";
import { Choice, TextArea, TextField } from "../parts/form.tsx";
import { Prose } from "./prose.tsx";

export type Values = Readonly<Record<string, string>>;

/** A field's name in the form: parameters of the path and the query may have the same name. */
export const fieldOf = ({ name, in: where }: Parameter): string => `${where}.${name}`;
export const BODY = "body";

type Props = {
  operation: Operation;
  values: Values;
  change: (field: string, value: string) => void;
  /** Why the body cannot be sent. */
  fault: string | null;
};

export function RequestForm({ operation, values, change, fault }: Props) {
  return (
    <>
      {operation.parameters.map((parameter) => (
        <ParameterField key={fieldOf(parameter)} parameter={parameter} values={values} change={change} />
      ))}
      {operation.body && (
        <TextArea
          name={BODY}
          label="Body"
          hint="(JSON)"
          rows={Math.min(16, (values[BODY] ?? "").split("\n").length + 1)}
          value={values[BODY] ?? ""}
          onChange={({ target }) => change(BODY, target.value)}
          faults={new Map(fault === null ? [] : [[BODY, fault]])}
        />
      )}
    </>
  );
}

function ParameterField({ parameter, values, change }: Pick<Props, "values" | "change"> & { parameter: Parameter }) {
  const { name, schema, required = false, description, example } = parameter;
  const field = fieldOf(parameter);
  const common = {
    name: field,
    label: <code>{name}</code>,
    optional: !required,
    value: values[field] ?? "",
    ...(description !== undefined && { remark: <Prose text={description} /> }),
  };
  const choices = schema.enum?.map(String) ?? (schema.type === "boolean" ? ["true", "false"] : null);
  if (choices)
    return (
      <Choice
        {...common}
        choices={[...(required ? [] : [["", "—"] as const]), ...choices.map((choice) => [choice, choice] as const)]}
        onChange={({ target }) => change(field, target.value)}
      />
    );
  const shown = example ?? schema.example ?? schema.default;
  return (
    <TextField
      {...common}
      {...(shown !== undefined && { placeholder: String(shown) })}
      onChange={({ target }) => change(field, target.value)}
    />
  );
}
