/** What the reference has: a field that finds, the guides, the operations by subject, and every error code. */
import { useEffect, useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import type { Method, Operation } from "../../../core/described-operations.ts";
import { MEANING, STATUS } from "../../../core/error-codes.ts";
import { count } from "../formats.ts";
import { GUIDES } from "./guide.tsx";
import { MethodName, Prose } from "./shown.tsx";

type Props = { operations: readonly Operation[] };

/** All words are somewhere in what is said of it, in any case. */
const matches = (words: readonly string[], ...said: string[]): boolean => {
  const text = said.join(" ").toLowerCase();
  return words.every((word) => text.includes(word));
};

export function Contents({ operations }: Props) {
  const [sought, setSought] = useState("");
  const words = sought.toLowerCase().split(/\s+/).filter(Boolean);
  const found = operations.filter(({ name, summary, path, method, tag, id, aliases }) =>
    matches(words, name, summary, path, method, tag, id, ...aliases.map((alias) => alias.path)),
  );
  const errors = words.length === 0 ? [] : ERRORS.filter((one) => matches(words, String(one.status), one.code));
  const guides = GUIDES.filter(({ title, name }) => matches(words, title, name));
  const all = found.length + guides.length + errors.length;
  return (
    <nav className="docs-contents" aria-label="Contents of the reference">
      <input
        className="field"
        type="search"
        value={sought}
        onChange={({ target }) => setSought(target.value)}
        placeholder="Find an operation or a guide"
        aria-label="Find an operation or a guide"
      />
      <p className="unseen" role="status">
        {words.length > 0 && `${count(all)} found`}
      </p>
      {words.length > 0 && all === 0 && <p className="muted">Nothing has these words.</p>}
      <div className="docs-list">
        {errors.length > 0 && (
          <section>
            <h2>Errors</h2>
            <ul>
              {errors.map(({ code, status }) => (
                <li key={code}>
                  <a href={`/docs#${code}`}>
                    {status} <code>{code}</code>
                  </a>
                </li>
              ))}
            </ul>
          </section>
        )}
        {guides.length > 0 && (
          <section>
            <h2>Guides</h2>
            <ul>
              {guides.map(({ name, title }) => (
                <Entry key={name} to={`/docs/guide/${name}`}>
                  {title}
                </Entry>
              ))}
            </ul>
          </section>
        )}
        {[...Map.groupBy(found, ({ tag }) => tag)].map(([tag, members]) => (
          <section key={tag}>
            <h2>{tag}</h2>
            <ul>
              {members.map(({ id, method, name, summary }) => (
                <Entry key={id} to={`/docs/${id}`} method={method} title={summary}>
                  {name}
                </Entry>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </nav>
  );
}

type EntryProps = { to: string; method?: Method; title?: string; children: string };

function Entry({ to, method, title, children }: EntryProps) {
  const [path] = useLocation();
  const isHere = path === to;
  const entry = useRef<HTMLLIElement>(null);
  useEffect(() => {
    const list = entry.current?.closest(".docs-list");
    // Only the list: scrollIntoView would scroll the page as well.
    if (isHere && list) list.scrollTop = entry.current!.offsetTop - list.clientHeight / 2;
  }, [isHere]);
  return (
    <li ref={entry}>
      <Link href={to} title={title} aria-current={isHere ? "page" : undefined}>
        {method && <MethodName method={method} />}
        <span>{children}</span>
      </Link>
    </li>
  );
}

type ErrorRow = { code: string; status: number; meaning: string };
/** By their statuses. */
const ERRORS: readonly ErrorRow[] = Object.entries(STATUS).map(([code, status]) => ({
  ...{ code, status },
  meaning: MEANING[code as keyof typeof MEANING],
}));

export function ErrorTable() {
  // The code that the address names is there only now.
  useEffect(() => {
    if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView({ block: "center" });
  }, []);
  return (
    <section className="docs-errors">
      <h2 id="errors">Errors</h2>
      <p className="muted">
        <Prose text="Every refusal has the same body: `error` is a sentence, `code` is one of these, `requestId` names the request in our log, `hint` says what can be done." />
      </p>
      <dl className="docs-outcomes">
        {ERRORS.map(({ code, status, meaning }) => (
          <div key={code} id={code}>
            <dt className="docs-status">{status}</dt>
            <dd>
              <code>{code}</code> <Prose text={meaning} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
