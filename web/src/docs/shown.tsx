/** How the reference shows prose, methods, shapes of bodies, and what the service answered. */
import { Fragment, type ReactNode } from "react";
import { kindOf, type Method, type OpenApi, resolved, type Schema } from "../../../core/described-operations.ts";
import { indented } from "../../../core/request-samples.ts";
import type { RawResponse } from "../api/answer.ts";
import { count, counted } from "../formats.ts";
import { Copy } from "../parts/copy.tsx";

/** Headers of general use; the others are seen by the sample's own tools. */
const SHOWN = ["content-type", "etag", "link", "x-indexed-block", "ratelimit", "retry-after", "x-ignored-params"];
const MAX_BODY_CHARS = 60_000;

export const BodyText = ({ children }: { children: ReactNode }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it.
  <pre className="code docs-body" tabIndex={0}>
    {children}
  </pre>
);

/** What the service answered: status, time, the headers that matter, and the body. */
export function RawAnswer({ answer, url }: { answer: RawResponse; url: string }) {
  const { status, ms, headers, text } = answer;
  const type = headers.get("content-type") ?? "";
  const shown = indented(text);
  return (
    <section className="panel docs-answer" aria-label="Answer">
      <div className="panel-head">
        <h2>
          <span className="docs-status" data-ok={status < 400 || undefined}>
            {status}
          </span>{" "}
          in {count(Math.round(ms))} ms
        </h2>
        {!type.startsWith("image/") && <Copy text={text} label="Copy the answer" />}
      </div>
      <dl className="docs-headers">
        {[...SHOWN, ...(status >= 400 ? ["x-request-id"] : [])]
          .filter((name) => headers.has(name))
          .map((name) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{headers.get(name)}</dd>
            </div>
          ))}
      </dl>
      {type.startsWith("image/") ? (
        // biome-ignore lint/a11y/noRedundantAlt: it says which picture this is.
        <img className="docs-picture" src={url} alt="The picture that was answered" />
      ) : (
        <BodyText>
          {shown.slice(0, MAX_BODY_CHARS)}
          {shown.length > MAX_BODY_CHARS && `\n… and ${count(shown.length - MAX_BODY_CHARS)} characters more`}
        </BodyText>
      )}
    </section>
  );
}

/** A sentence of the document: text between backticks is code. */
export const Prose = ({ text }: { text: string }) =>
  text.split("`").map((part, place) => <Fragment key={place}>{place % 2 === 1 ? <code>{part}</code> : part}</Fragment>);

/** The method of an operation; those that change something are of another colour. */
export const MethodName = ({ method }: { method: Method }) => (
  <span className="docs-method" data-method={method}>
    {method.toUpperCase()}
  </span>
);

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

/** The shape of a body as a list: names, kinds and what they mean, objects within objects indented. */
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

type PropertyProps = Props & { name: string; required: boolean; depth: number };

function Property({ document, name, schema, required, depth }: PropertyProps) {
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
