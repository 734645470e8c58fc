/** What the service answered: status, time, the headers that matter, and the body. */
import type { ReactNode } from "react";
import { indented } from "../../../core/request-samples.ts";
import type { RawResponse } from "../api/answer.ts";
import { count } from "../formats.ts";
import { Copy } from "../parts/copy.tsx";

/** Headers of general use; the others are seen by the sample's own tools. */
const SHOWN = ["content-type", "etag", "link", "x-indexed-block", "ratelimit", "retry-after", "x-ignored-params"];
/** Max characters of a body that are shown. */
const MAX_BODY_CHARS = 60_000;

export const BodyText = ({ children }: { children: ReactNode }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it.
  <pre className="code docs-body" tabIndex={0}>
    {children}
  </pre>
);

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
