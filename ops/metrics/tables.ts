/** What the tables tell: ledger, transaction outbox, mints, dispatcher, schedules and pulls. Every worker tells the same. */
import type { Registry } from "prom-client";
import { OPEN_STATES, PAYMENT_STATES } from "../../core/payments/states.ts";
import { type OpenWork, openWork, type Standing, stateTotals, type Totals } from "../../db/service-counts.ts";
import type { Queryable } from "../../db/transaction.ts";
import { kept } from "./kept.ts";
import { type Sample, told } from "./metric.ts";

/** The tables are asked at most so often, however many ask for metrics. */
const OPEN_MS = 5_000;
const TOTALS_MS = 60_000;

const TRANSACTION_STATES = ["queued", "signed", "mined", "reverted", "failed"];
const MINT_STATES = ["pending", "minted", "failed"];

/** @param now milliseconds, monotonic */
export function tableGauges(registry: Registry, db: Queryable, now: () => number = () => performance.now()): void {
  const open = kept(() => openWork(db), OPEN_MS, now);
  const totals = kept(() => stateTotals(db), TOTALS_MS, now);
  const gauge = (name: string, help: string, samples: (work: OpenWork) => Sample[]) =>
    told(registry, { name, help, type: "gauge" }, async () => {
      const work = await open();
      return work ? samples(work) : [];
    });
  const total = (name: string, help: string, samples: (all: Totals) => Sample[]) =>
    told(registry, { name, help, type: "gauge" }, async () => {
      const all = await totals();
      return all ? samples(all) : [];
    });

  told(
    registry,
    { name: "agents_tables_up", help: "1 when the database told the state of its tables", type: "gauge" },
    async () => [{ value: Number((await open()) !== null) }],
  );
  total("agents_payments", "Payments in the ledger by state, at most a minute old", ({ payments }) =>
    states(payments, PAYMENT_STATES),
  );
  gauge("agents_payments_oldest_seconds", "Age of the oldest payment that is not decided, by state", ({ payments }) =>
    ages(OPEN_STATES, payments),
  );
  gauge("agents_refunds_due", "Payments whose money is to be sent back or spent as a credit", ({ refundDue }) => [
    { value: refundDue.rows },
  ]);
  gauge("agents_refunds_due_units", "Their sum in units of the token (6 decimals)", ({ refundDue }) => [
    { value: refundDue.units },
  ]);
  gauge("agents_refunds_due_oldest_seconds", "Since when the oldest of them is due", ({ refundDue }) => [
    { value: refundDue.oldestSeconds },
  ]);
  total("agents_transactions", "The transaction outbox by state, at most a minute old", ({ transactions }) =>
    states(transactions, TRANSACTION_STATES),
  );
  gauge(
    "agents_transactions_oldest_seconds",
    "queued: since the oldest was asked for without being signed; signed: since it was signed without being mined",
    ({ transactions }) => ages(["queued", "signed"], transactions),
  );
  gauge(
    "agents_token_uris_oldest_seconds",
    "Since when the oldest transaction that is to set a token's URI waits to be signed",
    ({ waitingTransactions }) => [{ value: waitingTransactions.oldestSeconds }],
  );
  total(
    "agents_tokens_without_uri",
    "Tokens that have no URI on chain, at most a minute old",
    ({ tokensWithoutUri }) => [{ value: tokensWithoutUri }],
  );
  gauge("agents_nonce_gap", "Nonces below ours that no transaction holds", ({ nonceGap }) => [{ value: nonceGap }]);
  gauge("agents_sender_balance_ether", "What the sending account has", ({ sender }) =>
    sender ? [{ value: sender.balanceEther }] : [],
  );
  gauge("agents_sender_funded", "1 when it can pay for new writes", ({ sender }) =>
    sender ? [{ value: Number(sender.funded) }] : [],
  );
  gauge(
    "agents_sender_paused",
    "1 while the day's budget for transactions is used up and none is sent",
    ({ sender }) => (sender ? [{ value: Number(sender.paused) }] : []),
  );
  gauge("agents_sender_spent_ether", "What transactions have cost since midnight UTC", ({ sender }) =>
    sender ? [{ value: sender.spentEther }] : [],
  );
  gauge("agents_sender_budget_ether", "What they may cost in a day; 0 = no limit", ({ sender }) =>
    sender ? [{ value: sender.budgetEther }] : [],
  );
  gauge("agents_sender_checked_seconds", "Since the sender last looked", ({ sender }) =>
    sender ? [{ value: sender.checkedSeconds }] : [],
  );
  total("agents_mints", "Requests to mint by state, at most a minute old", ({ mints }) => states(mints, MINT_STATES));
  gauge("agents_mints_oldest_pending_seconds", "Age of the oldest undecided mint", ({ pendingMints }) => [
    { value: pendingMints.oldestSeconds },
  ]);
  gauge(
    "agents_events_undispatched",
    "Index changes that the dispatcher took and no queue has yet",
    ({ undispatched }) => [{ value: undispatched.rows }],
  );
  gauge("agents_events_undispatched_oldest_seconds", "Age of the oldest of them", ({ undispatched }) => [
    { value: undispatched.oldestSeconds },
  ]);
  gauge("agents_job_overdue_seconds", "Since when the next run of a scheduled job is due", ({ jobs }) =>
    jobs.map(({ name: job, overdueSeconds }) => ({ labels: { job }, value: overdueSeconds })),
  );
  gauge("agents_job_last_success_timestamp_seconds", "When a scheduled job last succeeded", ({ jobs }) =>
    jobs.flatMap(({ name: job, lastSuccessAt }) =>
      lastSuccessAt === null ? [] : [{ labels: { job }, value: lastSuccessAt }],
    ),
  );
  gauge("agents_directory_pull_last_success_timestamp_seconds", "When a source was last pulled whole", ({ pulls }) =>
    pulls.flatMap(({ source, lastSuccessAt }) =>
      lastSuccessAt === null ? [] : [{ labels: { source }, value: lastSuccessAt }],
    ),
  );
  total("agents_directory_rows", "Rows of the directory, as the database estimates", ({ directoryRows }) => [
    { value: directoryRows },
  ]);
  total(
    "agents_directory_quarantined",
    "Items of a source that could not be read or stored, at most a minute old; a source without any is absent",
    ({ quarantined }) => Object.entries(quarantined).map(([source, value]) => ({ labels: { source }, value })),
  );
}

/** Every state there is, for an alert on the first row in one needs the 0 before. */
const states = (counts: Record<string, number>, all: readonly string[]): Sample[] =>
  all.map((state) => ({ labels: { state }, value: counts[state] ?? 0 }));

/** A state without rows is 0 seconds old, so that an alert on it ends. */
const ages = (all: readonly string[], standing: Standing[]): Sample[] =>
  all.map((state) => ({
    labels: { state },
    value: standing.find((one) => one.state === state)?.oldestSeconds ?? 0,
  }));
