/** The figures of the operators' page, each panel one subject. */
import type { ReactNode } from "react";
import type { OperatorState, Status } from "../api/types.ts";
import { age, count, decimals, duration } from "../formats.ts";
import { Address } from "../parts/address.tsx";
import { NoData } from "../parts/cred.tsx";
import { Panel, Scroll } from "../parts/panel.tsx";
import { type MessageKey, say } from "../say.tsx";
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

const Facts = ({ of }: { of: [MessageKey, ReactNode][] }) => (
  <dl className="facts tall">
    {of.map(([label, value]) => (
      <div key={label}>
        <dt>{say(label as "operator.head")}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);

type TableProps = {
  title: string;
  heads: MessageKey[];
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
                {say(head as "operator.head")}
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

const unknown = () => <NoData reason={say("operator.unknown")} />;
/** How many, and for how long the oldest of them has waited. */
const waiting = ({ rows, oldestSeconds }: { rows: number; oldestSeconds: number }): string =>
  rows === 0 ? say("operator.none") : say("operator.rowsOldest", { rows, age: duration(oldestSeconds) });

function Chain({ status: { chain, backfill, cred } }: { status: Status }) {
  return (
    <Panel title={say("operator.chain")}>
      <Facts
        of={[
          ["operator.head", chain.head === null ? unknown() : count(chain.head)],
          ["operator.indexed", chain.indexed === null ? unknown() : count(chain.indexed)],
          ["operator.lag", chain.lagSeconds === null ? unknown() : duration(chain.lagSeconds)],
          ["operator.scores", count(cred.stale)],
          [
            "operator.backfill",
            backfill
              ? say(`operator.backfill.${backfill.state}`, { percent: `${decimals(backfill.progress * 100, 1)} %` })
              : unknown(),
          ],
          ...(backfill && backfill.state !== "done"
            ? ([["operator.eta", backfill.secondsLeft === null ? unknown() : duration(backfill.secondsLeft)]] as [
                MessageKey,
                ReactNode,
              ][])
            : []),
        ]}
      />
    </Panel>
  );
}

function Transactions({ state: { transactions, sender, events } }: { state: OperatorState }) {
  const ether = (amount: number) => decimals(amount, 4);
  return (
    <Panel title={say("operator.transactions")}>
      <Facts
        of={[
          ...transactions.open.map((one): [MessageKey, ReactNode] => [
            `operator.transactions.${one.state as "queued" | "signed"}`,
            waiting(one),
          ]),
          ["operator.pendingMints", waiting(transactions.pendingMints)],
          ["operator.nonceGap", count(transactions.nonceGap)],
          ["operator.balance", sender ? say("operator.ether", { amount: ether(sender.balanceEther) }) : unknown()],
          [
            "operator.spent",
            !sender
              ? unknown()
              : sender.budgetEther === 0
                ? say("operator.spentFree", { spent: ether(sender.spentEther) })
                : say("operator.spentOf", { spent: ether(sender.spentEther), budget: ether(sender.budgetEther) }),
          ],
          ["operator.handedOut", say("operator.handedOutOf", { at: events.handedOut, head: events.head })],
          ["operator.undispatched", waiting(events.undispatched)],
        ]}
      />
    </Panel>
  );
}

function Ledger({ state: { ledger } }: { state: OperatorState }) {
  const { open, refundDue, day } = ledger;
  return (
    <Panel title={say("operator.ledger")}>
      <Facts
        of={[
          [
            "operator.refunds",
            refundDue.rows === 0
              ? say("operator.none")
              : say("operator.refundsDue", { n: refundDue.rows, amount: refundDue.amount }),
          ],
          [
            "operator.ledgerOpen",
            open.length === 0
              ? say("operator.none")
              : open.map((one) => `${wordsOf.state(one.state)}: ${waiting(one)}`).join("; "),
          ],
        ]}
      />
      <h3>{say("operator.ledgerDay")}</h3>
      {day.length === 0 ? (
        <p className="muted">{say("operator.none")}</p>
      ) : (
        <Table
          title={say("operator.ledger")}
          isWide
          heads={[
            "operator.column.operation",
            "operator.column.method",
            "operator.column.state",
            "operator.column.rows",
            "operator.column.amount",
          ]}
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
    <Panel title={say("operator.webhooks")}>
      <Facts
        of={[
          ["operator.webhooksOn", count(webhooks.on)],
          ["operator.webhooksOff", count(webhooks.off)],
          ["operator.webhooksPending", waiting(webhooks.pending)],
          ["operator.webhooksDead", count(webhooks.dead)],
        ]}
      />
      <h3>{say("operator.failing")}</h3>
      {webhooks.failing.length === 0 ? (
        <p className="muted">{say("operator.failingNone")}</p>
      ) : (
        <Table
          title={say("operator.webhooks")}
          isWide
          heads={[
            "operator.column.host",
            "operator.column.failures",
            "operator.column.since",
            "operator.column.answer",
            "operator.column.off",
            "operator.column.owner",
          ]}
          rows={webhooks.failing.map(({ host, failures, failingSince, lastAnswer, disabledReason, owner }) => [
            <bdi key="host">{host}</bdi>,
            failures,
            failingSince ? age(failingSince) : unknown(),
            lastAnswer ?? unknown(),
            disabledReason ? wordsOf.disabled(disabledReason) : say("operator.none"),
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
    <Panel title={say("operator.queues")}>
      {queues.length === 0 ? (
        <p className="muted">{say("operator.none")}</p>
      ) : (
        <Table
          title={say("operator.queues")}
          heads={[
            "operator.column.name",
            "operator.column.waiting",
            "operator.column.active",
            "operator.column.failed",
            "operator.column.oldest",
          ]}
          rows={queues.map(({ name, waiting: waits, active, failed, oldestSeconds }) => [
            name,
            waits,
            active,
            failed,
            oldestSeconds === null ? say("operator.none") : duration(oldestSeconds),
          ])}
        />
      )}
      <h3>{say("operator.sources")}</h3>
      {troubled.length === 0 ? (
        <p className="muted">{say("operator.sourcesFine", { n: sources.length })}</p>
      ) : (
        <Table
          title={say("operator.sources")}
          heads={["operator.column.name", "operator.column.success", "operator.column.problem"]}
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
