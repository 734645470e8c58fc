/** Metrics of the tables: ledger, transaction outbox, mints, dispatcher, event log, webhooks, schedules and pulls. Every worker shows the same. */
import type { Registry } from "prom-client";
import { OPEN_STATES, PAYMENT_STATES } from "../../core/payments/states.ts";
import { SHARE_DIVISORS } from "../../core/transactions/free-gas.ts";
import {
  type EventWork,
  eventWork,
  type OpenWork,
  openWork,
  type StateCount,
  stateTotals,
  type Totals,
} from "../../db/operations/service-counts.ts";
import type { Queryable } from "../../db/sql/transaction.ts";
import { cachedRead, type MetricsOf, onScrape, type Sample, samplesBy, showOnScrape } from "./metric.ts";

/** Min milliseconds between two reads of the tables, for any number of scrapes. */
const OPEN_MS = 5_000;
const TOTALS_MS = 60_000;

const TRANSACTION_STATES = ["queued", "signed", "mined", "reverted", "failed"];
const MINT_STATES = ["pending", "minted", "failed"];

const partOf = (used: number, budget: number, divisor: bigint): number =>
  budget === 0 ? 0 : (used * Number(divisor)) / budget;

/** Read by small partial indexes, at most every 5 seconds. */
const OPEN_WORK: MetricsOf<OpenWork> = {
  agents_payments_oldest_seconds: [
    "Age of the oldest payment that is not decided, by state",
    ({ payments }) => ages(OPEN_STATES, payments),
  ],
  agents_refunds_due: [
    "Payments whose money is to be sent back or spent as a credit",
    ({ refundDue }) => refundDue.rows,
  ],
  agents_refunds_due_units: ["Their sum in units of the token (6 decimals)", ({ refundDue }) => refundDue.units],
  agents_refunds_due_oldest_seconds: ["Age of the oldest of them", ({ refundDue }) => refundDue.oldestSeconds],
  agents_payments_early_units: [
    "Sold for before their confirmations, and without them yet, in units of the token (6 decimals)",
    ({ early }) => early.openUnits,
  ],
  agents_payments_early_lost_units: [
    "Sold for before their confirmations, and lost, of all time",
    ({ early }) => early.lostUnits,
  ],
  agents_transactions_oldest_seconds: [
    "queued: age of the oldest that is not signed; signed: time since the oldest that is not mined was signed",
    ({ transactions }) => ages(["queued", "signed"], transactions),
  ],
  agents_token_uris_oldest_seconds: [
    "Age of the oldest transaction that sets a token's URI and is not signed",
    ({ waitingTransactions }) => waitingTransactions.oldestSeconds,
  ],
  agents_nonce_gap: ["Nonces below ours that no transaction holds", ({ nonceGap }) => nonceGap],
  agents_sender_balance_ether: ["Balance of the sending account", ({ sender }) => sender?.balanceEther],
  agents_sender_funded: ["1 when it can pay for new writes", ({ sender }) => sender?.funded],
  agents_sender_paused: [
    "1 while the day's budget for transactions is used up and the sender sends none",
    ({ sender }) => sender?.paused,
  ],
  agents_sender_spent_ether: ["Cost of transactions since midnight UTC", ({ sender }) => sender?.spentEther],
  agents_sender_budget_ether: ["Max cost per day; 0 = no limit", ({ sender }) => sender?.budgetEther],
  agents_sender_free_share_used: [
    "Used part of the budget for free writes, of all and of new agents; 1 = used up, 0 without a budget",
    ({ sender }) =>
      sender &&
      samplesBy("whose", {
        all: partOf(sender.freeEther, sender.budgetEther, SHARE_DIVISORS.free),
        newcomers: partOf(sender.newcomersEther, sender.budgetEther, SHARE_DIVISORS.newcomers),
      }),
  ],
  agents_sender_checked_seconds: [
    "Time since the sender last checked its account",
    ({ sender }) => sender?.checkedSeconds,
  ],
  agents_mints_oldest_pending_seconds: [
    "Age of the oldest undecided mint",
    ({ pendingMints }) => pendingMints.oldestSeconds,
  ],
  agents_events_undispatched: [
    "Index changes that the dispatcher took and no queue has yet",
    ({ undispatched }) => undispatched.rows,
  ],
  agents_events_undispatched_oldest_seconds: [
    "Age of the oldest of them",
    ({ undispatched }) => undispatched.oldestSeconds,
  ],
  agents_job_overdue_seconds: [
    "Time since the next run of a scheduled job was due",
    ({ jobs }) => jobs.map(({ name: job, overdueSeconds }) => ({ labels: { job }, value: overdueSeconds })),
  ],
  agents_job_last_success_timestamp_seconds: [
    "When a scheduled job last succeeded",
    ({ jobs }) => jobs.flatMap(({ name: job, lastSuccessAt }) => since({ job }, lastSuccessAt)),
  ],
  agents_directory_pull_last_success_timestamp_seconds: [
    "When a source was last pulled whole",
    ({ pulls }) => pulls.flatMap(({ source, lastSuccessAt }) => since({ source }, lastSuccessAt)),
  ],
};

/** Read from whole tables, at most once a minute. */
const TOTALS: MetricsOf<Totals> = {
  agents_payments: [
    "Payments in the ledger by state, at most a minute old",
    ({ payments }) => states(payments, PAYMENT_STATES),
  ],
  agents_transactions: [
    "The transaction outbox by state, at most a minute old",
    ({ transactions }) => states(transactions, TRANSACTION_STATES),
  ],
  agents_tokens_without_uri: [
    "Tokens that have no URI on chain, at most a minute old",
    ({ tokensWithoutUri }) => tokensWithoutUri,
  ],
  agents_mints: ["Requests to mint by state, at most a minute old", ({ mints }) => states(mints, MINT_STATES)],
  agents_directory_rows: ["Rows of the directory, as the database estimates", ({ directoryRows }) => directoryRows],
  agents_directory_quarantined: [
    "Items of a source that could not be read or stored, at most a minute old; a source without any is absent",
    ({ quarantined }) => samplesBy("source", quarantined),
  ],
  agents_offer_sources: [
    "Endpoints of agents that are read for offers by status, at most a minute old; a status without any is absent",
    ({ offerSources }) => samplesBy("status", offerSources),
  ],
};

/** The event log and what is fed by it. Each API shows its readers of event streams itself (meters.ts). */
const EVENT_WORK: MetricsOf<EventWork> = {
  agents_events_head: ["The last place in the event log", ({ head }) => head],
  agents_events_unplaced: ["Events noted that have no place in the log yet", ({ unplaced }) => unplaced],
  agents_webhooks: ["Webhooks that are on, and off", ({ webhooks }) => samplesBy("state", webhooks)],
  agents_webhooks_behind_events: [
    "Places of the log that were not handed out to webhooks yet",
    ({ head, handedOut }) => Math.max(0, head - handedOut),
  ],
  agents_webhook_deliveries_pending: [
    "Deliveries that wait for their turn or their next attempt",
    ({ pending }) => pending.rows,
  ],
  agents_webhook_deliveries_overdue_seconds: [
    "How long the owner has waited that waits longest for its turn, of those whose receivers answer",
    ({ pending }) => pending.oldestSeconds,
  ],
  agents_webhook_deliveries_dead: ["Deliveries given up, kept to be replayed", ({ dead }) => dead],
};

/** @param now milliseconds, monotonic */
export function tableGauges(registry: Registry, db: Queryable, now?: () => number): void {
  const open = cachedRead(() => openWork(db), OPEN_MS, now);
  const up = { name: "agents_tables_up", help: "1 when the database answered for its tables", type: "gauge" } as const;
  onScrape(registry, up, async () => [{ value: Number((await open()) !== null) }]);
  showOnScrape(registry, open, OPEN_WORK);
  showOnScrape(
    registry,
    cachedRead(() => stateTotals(db), TOTALS_MS, now),
    TOTALS,
  );
}

export const eventGauges = (registry: Registry, db: Queryable): void =>
  showOnScrape(
    registry,
    cachedRead(() => eventWork(db), OPEN_MS),
    EVENT_WORK,
  );

/** A time as a sample; none where the time is unknown. */
const since = (labels: Record<string, string>, at: number | null): Sample[] =>
  at === null ? [] : [{ labels, value: at }];

/** Every state, also without rows: an alert on the first row needs the 0 before it. */
const states = (counts: Record<string, number>, all: readonly string[]): Sample[] =>
  all.map((state) => ({ labels: { state }, value: counts[state] ?? 0 }));

/** A state without rows is 0 seconds old, so that an alert on it ends. */
const ages = (all: readonly string[], counts: StateCount[]): Sample[] =>
  all.map((state) => ({
    labels: { state },
    value: counts.find((one) => one.state === state)?.oldestSeconds ?? 0,
  }));
