/** The reference of the API: its contents, and one operation or one guide. */
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { Link, useLocation } from "wouter";
import { Copy } from "../parts/copy.tsx";
import { Empty, Loading, ProblemNote } from "../parts/states.tsx";
import "../styles/docs.css";
import { type OpenApi, type Operation, operationsOf } from "../../../core/described-operations.ts";
import { openApi } from "../api/queries.ts";
import { Contents, ErrorTable } from "./contents.tsx";
import { GUIDES, GuideView } from "./guide.tsx";
import { OperationView } from "./operation.tsx";
import { MethodName, Prose } from "./shown.tsx";

/** What the address names; both absent: the beginning. */
type Props = { operation?: string | undefined; guide?: string | undefined };

export default function DocsPage({ operation, guide }: Props) {
  const [, go] = useLocation();
  const { data, error, refetch } = useQuery(openApi);
  // Links of the former reference: /docs#/Agents/getAgent.
  const former = /^#\/[^/]+\/(\w+)$/.exec(location.hash)?.[1];
  useEffect(() => {
    if (former) go(`/docs/${former}`, { replace: true });
  }, [former, go]);
  const document = data?.data;
  const operations = document ? operationsOf(document) : [];
  const isStart = operation === undefined && guide === undefined;
  return (
    <div className="page docs" data-start={isStart || undefined}>
      <aside className="docs-side">
        <Contents operations={operations} />
      </aside>
      <div className="docs-main">
        {!isStart && (
          <p className="docs-back">
            <Link href="/docs">All operations and guides</Link>
          </p>
        )}
        {isStart && <Start document={document} operations={operations} />}
        {guide !== undefined && <GuidePart name={guide} />}
        {guide === undefined && error && <ProblemNote error={error} retry={() => void refetch()} />}
        {operation !== undefined &&
          !error &&
          (document ? (
            <OperationPart document={document} id={operation} operations={operations} />
          ) : (
            <Loading rows={10} />
          ))}
      </div>
    </div>
  );
}

function GuidePart({ name }: { name: string }) {
  const guide = GUIDES.find((one) => one.name === name);
  return guide ? <GuideView key={name} guide={guide} /> : <Nothing />;
}

type PartProps = { document: OpenApi; id: string; operations: readonly Operation[] };
function OperationPart({ document, id, operations }: PartProps) {
  const operation = operations.find((one) => one.id === id || one.aliases.some((alias) => alias.id === id));
  return operation ? <OperationView document={document} operation={operation} /> : <Nothing />;
}

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
      <div className="page-head">
        <div>
          <h1>API reference</h1>
          <p>Every operation can be tried here, with values that exist on this service.</p>
        </div>
      </div>
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
