/** The figures of the operators' page, each panel one subject. */
import type { ReactNode } from "react";
import type { OperatorState, Status } from "../api/types.ts";
import { age, count, counted, decimals, duration } from "../formats.ts";
import { Address } from "../parts/address.tsx";
import { NoData } from "../parts/cred.tsx";
import { Fact } from "../parts/facts.tsx";
import { Panel, Scroll } from "../parts/panel.tsx";
import { wordsOf } from "./state-words.ts";

type Props = { state: OperatorState; status: Status };

export const Figures = ({ state, status }: Props) => (
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

const Facts = ({ of }: { of: [string, ReactNode][] }) => (
  <dl className="facts tall">
    {of.map(([label, value]) => (
      <Fact key={label} label={label}>
        {value}
      </Fact>
    ))}
  </dl>
);

type TableProps = {
  title: string;
  heads: string[];
  rows: (string | number | ReactNode)[][];
  /** Too many columns for a phone, where it is scrolled. */
  isWide?: boolean;
};

/** Cells that are numbers are set to the end of their column. */
function Table({ title, heads, rows, isWide = false }: TableProps) {
  return (
    <Scroll label={title}>
      <table className={isWide ? "plain-table" : "plain-table fits"}>
        <thead>
          <tr>
            {heads.map((head, i) => (
              <th key={head} scope="col" className={typeof rows[0]?.[i] === "number" ? "number" : undefined}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, row) => (
            <tr key={row}>
              {cells.map((cell, i) =>
                i === 0 ? (
                  <th key={i} scope="row">
                    {cell}
                  </th>
                ) : (
                  <td key={i} className={typeof cell === "number" ? "number" : undefined}>
                    {typeof cell === "number" ? count(cell) : cell}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

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

const timeLeft = (seconds: number | null): [string, ReactNode] => [
  "Time left",
  seconds === null ? unknown() : duration(seconds),
];

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
          ...transactions.open.map((one): [string, ReactNode] => [
            one.state === "queued" ? "Queued" : "Signed, not mined",
            waiting(one),
          ]),
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
          title="Ledger"
          isWide
          heads={["Operation", "Method", "State", "Payments", "USDC"]}
          rows={day.map(({ operation, method, state, rows, amount }) => [
            ...[wordsOf.operation(operation), wordsOf.method(method), wordsOf.state(state)],
            ...[rows, amount],
          ])}
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
          title="Webhooks"
          isWide
          heads={["Host", "Failures", "Since", "Last answer", "Off", "Owner"]}
          rows={webhooks.failing.map(({ host, failures, failingSince, lastAnswer, disabledReason, owner }) => [
            <bdi key="host">{host}</bdi>,
            failures,
            failingSince ? age(failingSince) : unknown(),
            lastAnswer ?? unknown(),
            disabledReason ? wordsOf.disabled(disabledReason) : "none",
            <Address key="owner" address={owner} />,
          ])}
        />
      )}
    </Panel>
  );
}

function Work({ status: { sources, queues } }: { status: Status }) {
  const troubled = sources.filter(({ error }) => error !== null);
  return (
    <Panel title="Queues">
      {queues.length === 0 ? (
        <p className="muted">none</p>
      ) : (
        <Table
          title="Queues"
          heads={["Name", "Waiting", "Active", "Failed", "Oldest"]}
          rows={queues.map(({ name, waiting: waits, active, failed, oldestSeconds }) => [
            name,
            waits,
            active,
            failed,
            oldestSeconds === null ? "none" : duration(oldestSeconds),
          ])}
        />
      )}
      <h3>Sources with trouble</h3>
      {troubled.length === 0 ? (
        <p className="muted">{counted(sources.length, "source", "sources")}, without trouble</p>
      ) : (
        <Table
          title="Sources with trouble"
          heads={["Name", "Last success", "Problem"]}
          rows={troubled.map(({ key, lastSuccessAt, error }) => [
            key,
            lastSuccessAt ? age(lastSuccessAt) : unknown(),
            <bdi key="error">{error}</bdi>,
          ])}
        />
      )}
    </Panel>
  );
}
