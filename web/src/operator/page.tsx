/** The operators' page: wants an API key once in each tab, then shows what needs attention first. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call, Problem } from "../api/answer.ts";
import { status as statusQuery } from "../api/queries.ts";
import type { OperatorState, Status } from "../api/types.ts";
import { counted } from "../formats.ts";
import { Button } from "../parts/button.tsx";
import { type FieldEntry, Form } from "../parts/form.tsx";
import { Page } from "../parts/panel.tsx";
import { Loading, ProblemNote } from "../parts/states.tsx";
import { ApiButton } from "../shell/api-button.tsx";
import { problemsOf } from "../status/problems.ts";
import { keep, kept } from "../stored.ts";
import { Figures } from "./figures.tsx";

const KEY = "operator";
const PATH = "/api/v2/operator";
const EVERY_MS = 10_000;

export default function OperatorPage() {
  const [key, setKey] = useState(() => kept<string>("tab", KEY));
  const change = (next: string | null) => {
    keep("tab", KEY, next);
    setKey(next);
  };
  return (
    <Page
      title="Operator"
      lead="The state of the service for those who run it. It shows what the API and the metrics say."
      beside={
        <span className="actions">
          {key && <Button onClick={() => change(null)}>Forget the key</Button>}
          <ApiButton paths={[PATH, "/api/v2/status"]} />
        </span>
      }
    >
      {key ? <State key={key} apiKey={key} change={change} /> : <KeyForm submit={change} />}
    </Page>
  );
}

const KEY_FIELD: FieldEntry = {
  ...{ name: "key", type: "password", label: "API key", max: 100 },
  hint: "scope operator:read; kept in this tab only",
};

/** @param refused what the service said of the last key */
const KeyForm = ({ submit, refused }: { submit: (key: string) => void; refused?: string }) => (
  <Form className="panel form" fields={[KEY_FIELD]} submit={(text) => submit(text("key"))} does="Show the state">
    {refused && (
      <p className="fault" role="alert">
        The key was not taken: {refused}
      </p>
    )}
    <p className="muted">
      Make one with <code>npm run api-keys -- create --scope operator:read</code>.
    </p>
  </Form>
);

function State({ apiKey, change }: { apiKey: string; change: (key: string) => void }) {
  const { data, error, refetch } = useQuery({
    queryKey: [PATH, apiKey],
    queryFn: ({ signal }) => call<OperatorState>(PATH, { signal, headers: { "x-api-key": apiKey } }),
    refetchInterval: EVERY_MS,
    retry: false,
  });
  const status = useQuery(statusQuery);
  if (error instanceof Problem && error.status === 401) return <KeyForm refused={error.message} submit={change} />;
  const trouble = (!data && error) || (!status.data && status.error);
  if (trouble) return <ProblemNote error={trouble} retry={() => void Promise.all([refetch(), status.refetch()])} />;
  if (!data || !status.data) return <Loading rows={8} />;
  const troubles = troublesOf(data.data, status.data.data);
  return (
    <>
      <section className="panel wide" aria-label="Needs attention">
        {troubles.length === 0 ? (
          <p className="muted" role="status">
            Nothing needs attention.
          </p>
        ) : (
          <>
            <div className="panel-head">
              <h2>Needs attention</h2>
            </div>
            <div role="status">
              <ul className="troubles">
                {troubles.map((one) => (
                  <li key={one} className="warn-text">
                    {one}
                  </li>
                ))}
              </ul>
            </div>
          </>
        )}
      </section>
      <Figures state={data.data} status={status.data.data} />
    </>
  );
}

function troublesOf({ ledger, transactions, sender, webhooks }: OperatorState, status: Status): string[] {
  const refunds = ledger.refundDue.rows;
  return [
    ...problemsOf(status).flatMap(({ level, text }) => (level === "bad" ? [text] : [])),
    refunds > 0 && `${counted(refunds, "refund is", "refunds are")} due.`,
    transactions.nonceGap > 0 && "Transactions wait behind a gap of nonces.",
    sender?.funded === false && "The sender has not enough ether for new writes.",
    sender?.paused && "The sender's budget of the day is used up.",
    webhooks.failing.length > 0 && `${counted(webhooks.failing.length, "webhook fails", "webhooks fail")}.`,
  ].filter((one) => typeof one === "string");
}
