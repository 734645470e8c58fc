/** The operators' page: wants an API key once in each tab, then shows what needs attention first. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call, Problem } from "../api/answer.ts";
import { status as statusQuery } from "../api/queries.ts";
import type { OperatorState, Status } from "../api/types.ts";
import { age, count, counted, decimals, duration } from "../formats.ts";
import { Button } from "../parts/button.tsx";
import { Address } from "../parts/copy.tsx";
import { NoData } from "../parts/cred.tsx";
import { type FieldEntry, Form } from "../parts/form.tsx";
import { type FactEntry, Facts, Page, Panel } from "../parts/panel.tsx";
import { Loading, ProblemNote } from "../parts/states.tsx";
import { Table } from "../parts/table.tsx";
import { ApiButton } from "../shell/api-button.tsx";
import { problemsOf } from "../status/problems.ts";
import { keep, kept } from "../stored.ts";

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
  const failure = (!data && error) || (!status.data && status.error);
  if (failure) return <ProblemNote error={failure} retry={() => void Promise.all([refetch(), status.refetch()])} />;
  if (!data || !status.data) return <Loading rows={8} />;
  const alerts = alertsOf(data.data, status.data.data);
  return (
    <>
      <section className="panel wide" aria-label="Needs attention">
        {alerts.length === 0 ? (
          <p className="muted" role="status">
            Nothing needs attention.
          </p>
        ) : (
          <>
            <div className="panel-head">
              <h2>Needs attention</h2>
            </div>
            <div role="status">
              <ul className="alerts">
                {alerts.map((one) => (
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

function alertsOf({ ledger, transactions, sender, webhooks }: OperatorState, status: Status): string[] {
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

const Figures = ({ state, status }: { state: OperatorState; status: Status }) => (
  <div className="operator">
    <Chain status={status} />
    <Transactions state={state} />
    <Ledger state={state} />
    <Work status={status} />
    <div className="operator-wide">
      <Webhooks state={state} />
    </div>
  </div>
);

/** Where the backfill is. @param percent of the history that is read */
const BACKFILL_STATES: Record<NonNullable<Status["backfill"]>["state"], (percent: string) => string> = {
  starting: (percent) => `The indexer starts: ${percent} is read.`,
  running: (percent) => `The indexer reads the chain's history: ${percent} is read.`,
  stalled: (percent) => `The indexer makes no progress: ${percent} is read.`,
  stopped: (percent) => `No indexer runs: ${percent} is read.`,
  done: () => "The history is indexed.",
};

const unknown = () => <NoData reason="not known" />;
/** How many, and for how long the oldest of them has waited. */
const waiting = ({ rows, oldestSeconds }: { rows: number; oldestSeconds: number }): string =>
  rows === 0 ? "none" : `${count(rows)}, the oldest ${duration(oldestSeconds)}`;

const timeLeft = (seconds: number | null): FactEntry => ["Time left", seconds === null ? unknown() : duration(seconds)];

function Chain({ status: { chain, backfill, cred } }: { status: Status }) {
  return (
    <Panel title="Chain">
      <Facts
        of={[
          ["Chain head", chain.head === null ? unknown() : count(chain.head)],
          ["Indexed", chain.indexed === null ? unknown() : count(chain.indexed)],
          ["Behind", chain.lagSeconds === null ? unknown() : duration(chain.lagSeconds)],
          ["Scores to refresh", count(cred.stale)],
          [
            "Backfill",
            backfill ? BACKFILL_STATES[backfill.state](`${decimals(backfill.progress * 100, 1)} %`) : unknown(),
          ],
          ...(backfill && backfill.state !== "done" ? [timeLeft(backfill.secondsLeft)] : []),
        ]}
      />
    </Panel>
  );
}

function Transactions({ state: { transactions, sender, events } }: { state: OperatorState }) {
  const ether = (amount: number) => decimals(amount, 4);
  return (
    <Panel title="Transactions">
      <Facts
        of={[
          ...transactions.open.map(
            (one): FactEntry => [one.state === "queued" ? "Queued" : "Signed, not mined", waiting(one)],
          ),
          ["Pending mints", waiting(transactions.pendingMints)],
          ["Nonce gap", count(transactions.nonceGap)],
          ["Balance", sender ? `${ether(sender.balanceEther)} ETH` : unknown()],
          [
            "Spent today",
            !sender
              ? unknown()
              : sender.budgetEther === 0
                ? `${ether(sender.spentEther)} ETH, without a limit`
                : `${ether(sender.spentEther)} of ${ether(sender.budgetEther)} ETH`,
          ],
          ["Handed to webhooks", `${count(events.handedOut)} of ${count(events.head)}`],
          ["Not dispatched", waiting(events.undispatched)],
        ]}
      />
    </Panel>
  );
}

function Ledger({ state: { ledger } }: { state: OperatorState }) {
  const { open, refundDue, day } = ledger;
  return (
    <Panel title="Ledger">
      <Facts
        of={[
          [
            "Refunds due",
            refundDue.rows === 0
              ? "none"
              : `${counted(refundDue.rows, "payment", "payments")}, ${refundDue.amount} USDC`,
          ],
          [
            "Not decided yet",
            open.length === 0 ? "none" : open.map((one) => `${wordsOf.state(one.state)}: ${waiting(one)}`).join("; "),
          ],
        ]}
      />
      <h3>Payments of 24 hours</h3>
      {day.length === 0 ? (
        <p className="muted">none</p>
      ) : (
        <Table
          label="Ledger"
          of={day}
          columns={[
            ["Operation", ({ operation }) => wordsOf.operation(operation)],
            ["Method", ({ method }) => wordsOf.method(method)],
            ["State", ({ state }) => wordsOf.state(state)],
            ["Payments", ({ rows }) => count(rows), "number"],
            ["USDC", ({ amount }) => amount, "number"],
          ]}
        />
      )}
    </Panel>
  );
}

function Webhooks({ state: { webhooks } }: { state: OperatorState }) {
  return (
    <Panel title="Webhooks">
      <Facts
        of={[
          ["On", count(webhooks.on)],
          ["Off", count(webhooks.off)],
          ["Deliveries waiting", waiting(webhooks.pending)],
          ["Deliveries given up", count(webhooks.dead)],
        ]}
      />
      <h3>Webhooks that fail</h3>
      {webhooks.failing.length === 0 ? (
        <p className="muted">No webhook fails.</p>
      ) : (
        <Table
          label="Webhooks"
          className="plain-table"
          of={webhooks.failing}
          columns={[
            ["Host", ({ host }) => <bdi>{host}</bdi>],
            ["Failures", ({ failures }) => count(failures), "number"],
            ["Since", ({ failingSince }) => (failingSince ? age(failingSince) : unknown())],
            ["Last answer", ({ lastAnswer }) => lastAnswer ?? unknown()],
            ["Off", ({ disabledReason }) => (disabledReason ? wordsOf.disabled(disabledReason) : "none")],
            ["Owner", ({ owner }) => <Address address={owner} />],
          ]}
        />
      )}
    </Panel>
  );
}

function Work({ status: { sources, queues } }: { status: Status }) {
  const failing = sources.filter(({ error }) => error !== null);
  const busy = queues.filter(({ waiting, active, failed }) => waiting + active + failed > 0);
  return (
    <Panel title="Queues">
      <p className="muted">{counted(queues.length - busy.length, "queue is", "queues are")} idle.</p>
      {busy.length > 0 && (
        <Table
          label="Queues"
          of={busy}
          columns={[
            ["Name", ({ name }) => name],
            ["Waiting", ({ waiting: waits }) => count(waits), "number"],
            ["Active", ({ active }) => count(active), "number"],
            ["Failed", ({ failed }) => count(failed), "number"],
            ["Oldest", ({ oldestSeconds }) => (oldestSeconds === null ? "none" : duration(oldestSeconds)), "number"],
          ]}
        />
      )}
      <h3>Sources with errors</h3>
      {failing.length === 0 ? (
        <p className="muted">{counted(sources.length, "source", "sources")}, without errors</p>
      ) : (
        <Table
          label="Sources with errors"
          of={failing}
          columns={[
            ["Name", ({ key }) => key],
            ["Last success", ({ lastSuccessAt }) => (lastSuccessAt ? age(lastSuccessAt) : unknown())],
            ["Problem", ({ error }) => <bdi>{error}</bdi>],
          ]}
        />
      )}
    </Panel>
  );
}

/** @returns the word as people read it. @param words by the words of the API */
const wordIn = (words: Record<string, string>) => (word: string) => words[word] ?? word;

/** Of a payment its state, what was paid for and how; of a webhook why it was switched off. */
const wordsOf = {
  state: wordIn({
    new: "Presented",
    settling: "Being settled",
    paid: "Paid, its effect not done",
    fulfilled: "Fulfilled",
    released: "Refused, no money moved",
    refund_due: "Refund due",
    refunded: "Refunded",
    lost: "Money lost by a reorganisation",
  }),
  operation: wordIn({
    agentMint: "Registration",
    solanaRegistration: "Registration by a Solana key",
    credReport: "Cred report",
    update: "Change",
    soulLock: "Soul lock",
    soulHandshake: "Handshake",
  }),
  method: wordIn({ transaction: "Transaction", mpp: "MPP" }),
  disabled: wordIn({ gone: "It answered that it is gone", failing: "It failed for too long" }),
};
