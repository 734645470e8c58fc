/** The shape of a body as a list: names, kinds and what they mean, objects within objects indented. */
import { kindOf, type OpenApi, resolved, type Schema } from "../../../core/described-operations.ts";
import { counted } from "../formats.ts";
import { Prose } from "./prose.tsx";

/** Depth from which on only the kind is named: schemas may contain themselves. */
const MAX_SCHEMA_DEPTH = 3;

type Props = { document: OpenApi; schema: Schema; depth?: number };

/** The object that a schema describes, or that its list has for entries; null where it describes none. */
function objectOf(document: OpenApi, given: Schema): Schema | null {
  const schema = resolved(document, given);
  if (schema.type === "array") return schema.items ? objectOf(document, schema.items) : null;
  if (schema.properties) return schema;
  const parts = schema.anyOf ?? schema.oneOf ?? schema.allOf ?? [];
  return parts.map((part) => objectOf(document, part)).find((one) => one !== null) ?? null;
}

export function SchemaList({ document, schema, depth = 0 }: Props) {
  const object = objectOf(document, schema);
  if (!object?.properties) return <p className="muted mono">{kindOf(document, schema)}</p>;
  return (
    <ul className="docs-schema">
      {Object.entries(object.properties).map(([name, part]) => (
        <Property
          key={name}
          document={document}
          name={name}
          schema={part}
          depth={depth}
          required={object.required?.includes(name) ?? false}
        />
      ))}
    </ul>
  );
}

function Property({
  document,
  name,
  schema,
  required,
  depth,
}: Props & { name: string; required: boolean; depth: number }) {
  const known = resolved(document, schema);
  const description = schema.description ?? known.description;
  const inner = depth < MAX_SCHEMA_DEPTH ? objectOf(document, schema) : null;
  return (
    <li>
      <p>
        <code className="docs-name">{name}</code> <span className="faint mono">{kindOf(document, schema)}</span>
        {!required && <span className="faint"> optional</span>}
        {description && (
          <span className="muted docs-said">
            <Prose text={description} />
          </span>
        )}
        {known.enum && <span className="faint docs-said mono">{known.enum.map(String).join(" · ")}</span>}
      </p>
      {inner?.properties && (
        <details>
          <summary>{counted(Object.keys(inner.properties).length, "field", "fields")}</summary>
          <SchemaList document={document} schema={inner} depth={depth + 1} />
        </details>
      )}
    </li>
  );
}
