/** One operation: what it does, a form that sends it, the same request in three languages, and the shapes it takes and gives. */
import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { answerType, exampleOf, type OpenApi, type Operation, successOf } from "../../../core/described-operations.ts";
import { LANGUAGES, type Language, type SampleRequest, targetOf } from "../../../core/request-samples.ts";
import { callRaw, type Problem, type RawResponse } from "../api/answer.ts";
import { Copy } from "../parts/copy.tsx";
import { type FieldEntry, Form, type FormText } from "../parts/form.tsx";
import { Panel, useTitle } from "../parts/panel.tsx";
import { Loading, ProblemNote } from "../parts/states.tsx";
import { SITE_NAME } from "../site.ts";
import {
  BODY,
  beginning,
  fieldOf,
  type LiveValues,
  liveValues,
  RequestForm,
  SignedSend,
  type Values,
} from "./request-form.tsx";
import { BodyText, MethodName, Prose, RawAnswer, SchemaList } from "./shown.tsx";

type Props = { document: OpenApi; operation: Operation };

/** @param props both undefined until the document has come */
export default function OperationView({ document, operation }: { [part in keyof Props]: Props[part] | undefined }) {
  // Asked for beside the document.
  const { data, isError } = useQuery(liveValues);
  const live = data ?? (isError ? {} : null);
  return document && operation ? <Described {...{ document, operation, live }} /> : <Loading rows={10} />;
}

function Described({ document: described, operation, live }: Props & { live: LiveValues | null }) {
  useTitle(`${operation.name} · ${SITE_NAME}`);
  return (
    <article className="docs-operation">
      <header>
        <h1>{operation.name}</h1>
        <p className="docs-path">
          <MethodName method={operation.method} /> <code>{operation.path}</code>
          {operation.aliases.map(({ path }) => (
            <span key={path} className="faint">
              also <code>{path}</code>
            </span>
          ))}
        </p>
        <p>{operation.summary}.</p>
        {operation.description.split("\n\n").map((paragraph) => (
          <p key={paragraph} className="muted">
            <Prose text={paragraph} />
          </p>
        ))}
      </header>
      {/* The form begins with what exists here, so it waits for that, and what is below it too. */}
      {live ? (
        <>
          <Trial key={operation.id} document={described} operation={operation} live={live} />
          <Shapes document={described} operation={operation} />
        </>
      ) : (
        <Loading rows={10} />
      )}
    </article>
  );
}

/** The values that a form begins with. */
function beginnings({ document: described, operation, live }: Props & { live: LiveValues }): Values {
  const parameters = operation.parameters.map((one) => [fieldOf(one), beginning(operation, one, live)] as const);
  const body = operation.body && JSON.stringify(exampleOf(described, operation.body), null, 2);
  return { ...Object.fromEntries(parameters), ...(body !== null && { [BODY]: body }) };
}

/** The request that the form's values make. */
function requestOf({ document: described, operation }: Props, values: Values): SampleRequest {
  const given = (where: "path" | "query") =>
    Object.fromEntries(
      operation.parameters
        .filter((one) => one.in === where && values[fieldOf(one)] !== "")
        .map((one) => [one.name, values[fieldOf(one)] ?? ""]),
    );
  const { method, path, body, schemes, signsIn } = operation;
  return {
    method,
    path,
    places: given("path"),
    query: given("query"),
    baseUrl: described.servers[0].url,
    ...(body && { body: values[BODY] ?? "" }),
    credential: schemes.has("apiKey") ? "apiKey" : signsIn ? "wallet" : "none",
    isPriced: schemes.has("x402"),
    answersJson: answerType(operation)?.includes("json") ?? false,
  };
}

/** Why a text is no JSON; null where it is. */
function faultOf(body: string | undefined): string | null {
  if (body === undefined) return null;
  try {
    JSON.parse(body);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

function Trial(props: Props & { live: LiveValues }) {
  const { operation } = props;
  const [values, setValues] = useState(() => beginnings(props));
  const request = requestOf(props, values);
  const fault = faultOf(request.body);
  const change = (field: string, value: string) => setValues((values) => ({ ...values, [field]: value }));
  const isStream = answerType(operation) === "text/event-stream";
  return (
    <div className="docs-request">
      <Panel title="Try it">
        <RequestForm operation={operation} values={values} change={change} fault={fault} />
        {isStream ? (
          <p className="muted">This answer never ends. Follow it with the sample, in a terminal.</p>
        ) : request.credential === "wallet" || request.isPriced ? (
          <SignedSend operation={operation} request={request} fault={fault} />
        ) : (
          <PlainSend request={request} fault={fault} />
        )}
      </Panel>
      <div className="docs-beside">
        <Samples request={request} />
        <Example {...props} />
      </div>
    </div>
  );
}

function Example({ document: described, operation }: Props) {
  const success = successOf(operation);
  if (!success?.schema || !success.type?.includes("json")) return null;
  return (
    <Panel title="An answer, for example">
      <BodyText>{JSON.stringify(exampleOf(described, success.schema, true), null, 2)}</BodyText>
    </Panel>
  );
}

const KEY: FieldEntry = { name: "key", label: "API key", optional: true };

/** Sends a request that needs no wallet, and shows any answer. */
function PlainSend({ request, fault }: { request: SampleRequest; fault: string | null }) {
  const [state, setState] = useState<{ answer?: RawResponse; problem?: Problem; url: string; busy?: true } | null>(
    null,
  );
  const { method, body } = request;
  const takesKey = request.credential === "apiKey";
  const send = async (text: FormText) => {
    const key = text("key");
    const url = targetOf(request);
    setState({ url, busy: true });
    const headers = {
      ...(takesKey && key !== "" && { "x-api-key": key }),
      ...(body !== undefined && { "content-type": "application/json" }),
    };
    try {
      const init = { method: method.toUpperCase(), headers, ...(body !== undefined && { body }) };
      setState({ url, answer: await callRaw(url, init) });
    } catch (problem) {
      setState({ url, problem: problem as Problem });
    }
  };
  return (
    <>
      <Form fields={[takesKey && KEY]} submit={send} does="Send" busy={fault !== null || state?.busy} />
      <div aria-live="polite">
        {state?.answer && <RawAnswer answer={state.answer} url={state.url} />}
        {state?.problem && <ProblemNote error={state.problem} />}
      </div>
    </>
  );
}

function Samples({ request }: { request: SampleRequest }) {
  const [language, setLanguage] = useState<Language>("curl");
  const id = useId();
  const text = LANGUAGES[language](request);
  return (
    <section className="panel docs-samples" aria-labelledby={id}>
      <div className="panel-head">
        <h2 id={id}>The same request</h2>
        <Copy text={text} label="Copy this sample" />
      </div>
      <fieldset className="docs-languages">
        <legend className="unseen">Language</legend>
        {(Object.keys(LANGUAGES) as Language[]).map((one) => (
          <button key={one} type="button" aria-pressed={one === language} onClick={() => setLanguage(one)}>
            {one}
          </button>
        ))}
      </fieldset>
      <pre className="code">{text}</pre>
    </section>
  );
}

function Shapes({ document: described, operation }: Props) {
  const success = successOf(operation);
  const others = operation.responses.filter(({ status }) => !status.startsWith("2"));
  return (
    <>
      {operation.body && (
        <Panel title="What it takes">
          <SchemaList document={described} schema={operation.body} />
        </Panel>
      )}
      {success?.schema && (
        <Panel title="What it answers">
          <SchemaList document={described} schema={success.schema} />
        </Panel>
      )}
      <Panel title="Outcomes">
        <dl className="docs-outcomes">
          {[...operation.responses.filter(({ status }) => status.startsWith("2")), ...others].map((one) => (
            <div key={one.status}>
              <dt className="docs-status" data-ok={one.status < "4" || undefined}>
                {one.status}
              </dt>
              <dd>
                <Prose text={one.description} /> {one.type && <span className="faint mono">{one.type}</span>}
              </dd>
            </div>
          ))}
        </dl>
      </Panel>
    </>
  );
}
