/** How the reference shows prose, methods, shapes of bodies, and what the service answered. */
import { Fragment, type ReactNode } from "react";
import {
  kindOf,
  type Method,
  type OpenApi,
  objectsOf,
  resolved,
  type Schema,
} from "../../../core/described-operations.ts";
import { indented } from "../../../core/request-samples.ts";
import type { RawResponse } from "../api/answer.ts";
import { count, counted } from "../formats.ts";
import { Copy } from "../parts/copy.tsx";

/** Headers of general use; tools for the samples (`curl -i`) show the others. */
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

/** The shape of a body as a list: names, kinds and what they mean, objects within objects indented. */
export function SchemaList({ document, schema, depth = 0 }: Props) {
  const objects = objectsOf(document, schema);
  if (objects.length === 0) return <p className="muted mono">{kindOf(document, schema)}</p>;
  return objects.map(({ properties = {}, required = [] }, place) => (
    <ul key={place} className="docs-schema">
      {place > 0 && <li className="faint">or</li>}
      {Object.entries(properties).map(([name, part]) => (
        <Property
          key={name}
          document={document}
          name={name}
          schema={part}
          depth={depth}
          required={required.includes(name)}
        />
      ))}
    </ul>
  ));
}

type PropertyProps = Props & { name: string; required: boolean; depth: number };

function Property({ document, name, schema, required, depth }: PropertyProps) {
  const known = resolved(document, schema);
  const description = schema.description ?? known.description;
  const inner = depth < MAX_SCHEMA_DEPTH ? objectsOf(document, schema) : [];
  const fields = new Set(inner.flatMap((one) => Object.keys(one.properties ?? {}))).size;
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
      {fields > 0 && (
        <details>
          <summary>{counted(fields, "field", "fields")}</summary>
          <SchemaList document={document} schema={schema} depth={depth + 1} />
        </details>
      )}
    </li>
  );
}
