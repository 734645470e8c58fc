/** What the reference has: a field that finds, the guides, and the operations by subject. */
import { useEffect, useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import { count } from "../formats.ts";
import type { Method, Operation } from "./document.ts";
import { GUIDES } from "./guides.ts";
import { MethodName } from "./method.tsx";

type Props = { operations: readonly Operation[] };

/** All words are somewhere in what is said of it, in any case. */
const matches = (words: readonly string[], ...said: string[]): boolean => {
  const text = said.join(" ").toLowerCase();
  return words.every((word) => text.includes(word));
};

export function Contents({ operations }: Props) {
  const [sought, setSought] = useState("");
  const words = sought.toLowerCase().split(/\s+/).filter(Boolean);
  const found = operations.filter(({ summary, path, method, tag, id }) =>
    matches(words, summary, path, method, tag, id),
  );
  const guides = GUIDES.filter(({ title, name }) => matches(words, title, name));
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
        {words.length > 0 && `${count(found.length + guides.length)} found`}
      </p>
      {words.length > 0 && found.length + guides.length === 0 && <p className="muted">Nothing has these words.</p>}
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
            {members.map(({ id, method, summary }) => (
              <Entry key={id} to={`/docs/${id}`} method={method}>
                {summary}
              </Entry>
            ))}
          </ul>
        </section>
      ))}
    </nav>
  );
}

function Entry({ to, method, children }: { to: string; method?: Method; children: string }) {
  const [path] = useLocation();
  const isHere = path === to;
  const entry = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isHere) entry.current?.scrollIntoView({ block: "nearest" });
  }, [isHere]);
  return (
    <li ref={entry}>
      <Link href={to} aria-current={isHere ? "page" : undefined}>
        {method && <MethodName method={method} />}
        <span>{children}</span>
      </Link>
    </li>
  );
}
