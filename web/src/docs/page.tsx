/** The reference of the API: its contents with a field that finds, every error code, and one operation or one guide. */
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useDeferredValue, useEffect, useMemo, useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import { openApi } from "../api/queries.ts";
import { Copy } from "../parts/copy.tsx";
import { PageHead } from "../parts/panel.tsx";
import { Empty, Loading, ProblemNote, partOnDemand } from "../parts/states.tsx";
import { addressRef } from "../shell/address.ts";
import "../styles/docs.css";
import { type Method, type OpenApi, type Operation, operationsOf } from "../../../core/described-operations.ts";
import { MEANING, STATUS } from "../../../core/error-codes.ts";
import { count } from "../formats.ts";
import { GUIDES, GuideView } from "./guide.tsx";
import { MethodName, Prose } from "./shown.tsx";

export default function DocsPage() {
  const [, go] = useLocation();
  // What the address names; both empty: the beginning.
  const guideName = addressRef(3);
  const id = guideName ? "" : addressRef();
  const guide = GUIDES.find(({ name }) => name === guideName);
  const { data, error, refetch } = useQuery(openApi);
  // Links of the former reference: /docs#/Agents/getAgent.
  const former = /^#\/[^/]+\/(\w+)$/.exec(location.hash)?.[1];
  useEffect(() => {
    if (former) go(`/docs/${former}`, { replace: true });
  }, [former, go]);
  const document = data?.data;
  const operations = useMemo(() => (document ? operationsOf(document) : []), [document]);
  // What the page is about is drawn before the list of everything.
  const listed = useDeferredValue(operations);
  const operation = operations.find((one) => one.id === id || one.aliases.some((alias) => alias.id === id));
  const isStart = id === "" && guideName === "";
  return (
    <div className="page docs" data-start={isStart || undefined}>
      <aside className="docs-side">
        <Contents operations={listed} />
      </aside>
      <div className="docs-main">
        {!isStart && (
          <p className="docs-back">
            <Link href="/docs">All operations and guides</Link>
          </p>
        )}
        {isStart && <Start document={document} operations={operations} />}
        {guideName && (guide ? <GuideView key={guideName} guide={guide} /> : <Nothing />)}
        {!guideName && error && <ProblemNote error={error} retry={() => void refetch()} />}
        {id &&
          !error &&
          (document && !operation ? <Nothing /> : <OperationView document={document} operation={operation} />)}
      </div>
    </div>
  );
}

/** Its code comes beside the document. */
const OperationView = partOnDemand(() => import("./operation.tsx"), { waiting: <Loading rows={10} /> });

const Nothing = () => (
  <Empty instead title="The reference has no such page">
    <p>
      <Link href="/docs">All operations and guides</Link>
    </p>
  </Empty>
);

/** Most of it needs no document, so that nothing below it moves when that arrives. */
function Start({ document, operations }: { document: OpenApi | undefined; operations: readonly Operation[] }) {
  const base = document?.servers[0].url ?? location.origin;
  return (
    <>
      <PageHead
        title="API reference"
        lead="Every operation can be tried here, with values that exist on this service."
      />
      <section className="panel">
        <p className="docs-base">
          <code>{base}</code> <Copy text={base} label="Copy the address" />
        </p>
        <ul className="plain-list">
          <li>
            Reads need no account: <Link href="/docs/listAgents">list agents</Link>, then look at{" "}
            <Link href="/docs/getAgent">one of them</Link>.
          </li>
          <li>
            Writes are signed by a wallet: <Link href="/docs/guide/signing-in">signing in</Link>. Some have a price:{" "}
            <Link href="/docs/guide/payments">payments</Link>.
          </li>
          <li>
            For programs: <a href="/api/v2/openapi.json">OpenAPI document</a>,{" "}
            <a href="/llms.txt">a page for language models</a>, <Link href="/docs/guide/mcp">MCP</Link>.
          </li>
        </ul>
      </section>
      <div className="docs-subjects">
        {document?.tags.map(({ name, description }) => (
          <section key={name}>
            <h2>{name}</h2>
            <p className="muted">
              <Prose text={description ?? ""} />
            </p>
            <ul>
              {operations
                .filter(({ tag }) => tag === name)
                .map(({ id, method, path }) => (
                  <li key={id}>
                    <Link href={`/docs/${id}`}>
                      <MethodName method={method} /> <code>{path}</code>
                    </Link>
                  </li>
                ))}
            </ul>
          </section>
        ))}
      </div>
      {document && <ErrorTable />}
    </>
  );
}

/** All words are somewhere in what is said of it, in any case. */
const matches = (words: readonly string[], ...said: string[]): boolean => {
  const text = said.join(" ").toLowerCase();
  return words.every((word) => text.includes(word));
};

function Contents({ operations }: { operations: readonly Operation[] }) {
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
        <Group title="Errors">
          {errors.map(({ code, status }) => (
            <li key={code}>
              <a href={`/docs#${code}`}>
                {status} <code>{code}</code>
              </a>
            </li>
          ))}
        </Group>
        <Group title="Guides">
          {guides.map(({ name, title }) => (
            <Entry key={name} to={`/docs/guide/${name}`}>
              {title}
            </Entry>
          ))}
        </Group>
        {[...Map.groupBy(found, ({ tag }) => tag)].map(([tag, members]) => (
          <Group key={tag} title={tag}>
            {members.map(({ id, method, name, summary }) => (
              <Entry key={id} to={`/docs/${id}`} method={method} title={summary}>
                {name}
              </Entry>
            ))}
          </Group>
        ))}
      </div>
    </nav>
  );
}

const Group = ({ title, children }: { title: string; children: ReactNode[] }) =>
  children.length > 0 && (
    <section>
      <h2>{title}</h2>
      <ul>{children}</ul>
    </section>
  );

function Entry({ to, method, title, children }: { to: string; method?: Method; title?: string; children: string }) {
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

function ErrorTable() {
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
