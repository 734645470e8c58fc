/** Metrics of the tables: ledger, transaction outbox, mints, dispatcher, schedules and pulls. Every worker shows the same. */
import type { Registry } from "prom-client";
import { OPEN_STATES, PAYMENT_STATES } from "../../core/payments/states.ts";
import { SHARE_DIVISORS } from "../../core/transactions/free-gas.ts";
import {
  type OpenWork,
  openWork,
  type StateCount,
  stateTotals,
  type Totals,
} from "../../db/operations/service-counts.ts";
import type { Queryable } from "../../db/sql/transaction.ts";
import { cachedRead } from "./cached-read.ts";
import { onScrape, type Sample } from "./metric.ts";

/** Min milliseconds between two reads of the tables, for any number of scrapes. */
const OPEN_MS = 5_000;
const TOTALS_MS = 60_000;

const TRANSACTION_STATES = ["queued", "signed", "mined", "reverted", "failed"];
const MINT_STATES = ["pending", "minted", "failed"];

/** A metric of the tables: its name and help as operators see them, and its samples out of what was read. */
type TableMetric<Read> = { name: string; help: string; samples(read: Read): Sample[] };

const partOf = (used: number, budget: number, divisor: bigint): number =>
  budget === 0 ? 0 : (used * Number(divisor)) / budget;
const one = (value: number): Sample[] => [{ value }];

/** Read by small partial indexes, at most every 5 seconds. */
const OPEN_WORK: TableMetric<OpenWork>[] = [
  {
    name: "agents_payments_oldest_seconds",
    help: "Age of the oldest payment that is not decided, by state",
    samples: ({ payments }) => ages(OPEN_STATES, payments),
  },
  {
    name: "agents_refunds_due",
    help: "Payments whose money is to be sent back or spent as a credit",
    samples: ({ refundDue }) => one(refundDue.rows),
  },
  {
    name: "agents_refunds_due_units",
    help: "Their sum in units of the token (6 decimals)",
    samples: ({ refundDue }) => one(refundDue.units),
  },
  {
    name: "agents_refunds_due_oldest_seconds",
    help: "Age of the oldest of them",
    samples: ({ refundDue }) => one(refundDue.oldestSeconds),
  },
  {
    name: "agents_payments_early_units",
    help: "Sold for before their confirmations, and without them yet, in units of the token (6 decimals)",
    samples: ({ early }) => one(early.openUnits),
  },
  {
    name: "agents_payments_early_lost_units",
    help: "Sold for before their confirmations, and lost, of all time",
    samples: ({ early }) => one(early.lostUnits),
  },
  {
    name: "agents_transactions_oldest_seconds",
    help: "queued: age of the oldest that is not signed; signed: time since the oldest that is not mined was signed",
    samples: ({ transactions }) => ages(["queued", "signed"], transactions),
  },
  {
    name: "agents_token_uris_oldest_seconds",
    help: "Age of the oldest transaction that sets a token's URI and is not signed",
    samples: ({ waitingTransactions }) => one(waitingTransactions.oldestSeconds),
  },
  {
    name: "agents_nonce_gap",
    help: "Nonces below ours that no transaction holds",
    samples: ({ nonceGap }) => one(nonceGap),
  },
  {
    name: "agents_sender_balance_ether",
    help: "Balance of the sending account",
    samples: ({ sender }) => (sender ? one(sender.balanceEther) : []),
  },
  {
    name: "agents_sender_funded",
    help: "1 when it can pay for new writes",
    samples: ({ sender }) => (sender ? one(Number(sender.funded)) : []),
  },
  {
    name: "agents_sender_paused",
    help: "1 while the day's budget for transactions is used up and the sender sends none",
    samples: ({ sender }) => (sender ? one(Number(sender.paused)) : []),
  },
  {
    name: "agents_sender_spent_ether",
    help: "Cost of transactions since midnight UTC",
    samples: ({ sender }) => (sender ? one(sender.spentEther) : []),
  },
  {
    name: "agents_sender_budget_ether",
    help: "Max cost per day; 0 = no limit",
    samples: ({ sender }) => (sender ? one(sender.budgetEther) : []),
  },
  {
    name: "agents_sender_free_share_used",
    help: "Used part of the budget for free writes, of all and of new agents; 1 = used up, 0 without a budget",
    samples: ({ sender }) =>
      sender
        ? [
            { labels: { whose: "all" }, value: partOf(sender.freeEther, sender.budgetEther, SHARE_DIVISORS.free) },
            {
              labels: { whose: "newcomers" },
              value: partOf(sender.newcomersEther, sender.budgetEther, SHARE_DIVISORS.newcomers),
            },
          ]
        : [],
  },
  {
    name: "agents_sender_checked_seconds",
    help: "Time since the sender last checked its account",
    samples: ({ sender }) => (sender ? one(sender.checkedSeconds) : []),
  },
  {
    name: "agents_mints_oldest_pending_seconds",
    help: "Age of the oldest undecided mint",
    samples: ({ pendingMints }) => one(pendingMints.oldestSeconds),
  },
  {
    name: "agents_events_undispatched",
    help: "Index changes that the dispatcher took and no queue has yet",
    samples: ({ undispatched }) => one(undispatched.rows),
  },
  {
    name: "agents_events_undispatched_oldest_seconds",
    help: "Age of the oldest of them",
    samples: ({ undispatched }) => one(undispatched.oldestSeconds),
  },
  {
    name: "agents_job_overdue_seconds",
    help: "Time since the next run of a scheduled job was due",
    samples: ({ jobs }) => jobs.map(({ name: job, overdueSeconds }) => ({ labels: { job }, value: overdueSeconds })),
  },
  {
    name: "agents_job_last_success_timestamp_seconds",
    help: "When a scheduled job last succeeded",
    samples: ({ jobs }) => jobs.flatMap(({ name: job, lastSuccessAt }) => since({ job }, lastSuccessAt)),
  },
  {
    name: "agents_directory_pull_last_success_timestamp_seconds",
    help: "When a source was last pulled whole",
    samples: ({ pulls }) => pulls.flatMap(({ source, lastSuccessAt }) => since({ source }, lastSuccessAt)),
  },
];

/** Read from whole tables, at most once a minute. */
const TOTALS: TableMetric<Totals>[] = [
  {
    name: "agents_payments",
    help: "Payments in the ledger by state, at most a minute old",
    samples: ({ payments }) => states(payments, PAYMENT_STATES),
  },
  {
    name: "agents_transactions",
    help: "The transaction outbox by state, at most a minute old",
    samples: ({ transactions }) => states(transactions, TRANSACTION_STATES),
  },
  {
    name: "agents_tokens_without_uri",
    help: "Tokens that have no URI on chain, at most a minute old",
    samples: ({ tokensWithoutUri }) => one(tokensWithoutUri),
  },
  {
    name: "agents_mints",
    help: "Requests to mint by state, at most a minute old",
    samples: ({ mints }) => states(mints, MINT_STATES),
  },
  {
    name: "agents_directory_rows",
    help: "Rows of the directory, as the database estimates",
    samples: ({ directoryRows }) => one(directoryRows),
  },
  {
    name: "agents_directory_quarantined",
    help: "Items of a source that could not be read or stored, at most a minute old; a source without any is absent",
    samples: ({ quarantined }) => Object.entries(quarantined).map(([source, value]) => ({ labels: { source }, value })),
  },
  {
    name: "agents_offer_sources",
    help: "Endpoints of agents that are read for offers by status, at most a minute old; a status without any is absent",
    samples: ({ offerSources }) =>
      Object.entries(offerSources).map(([status, value]) => ({ labels: { status }, value })),
  },
];

/** @param now milliseconds, monotonic */
export function tableGauges(registry: Registry, db: Queryable, now: () => number = () => performance.now()): void {
  const open = cachedRead(() => openWork(db), OPEN_MS, now);
  const totals = cachedRead(() => stateTotals(db), TOTALS_MS, now);
  const up = { name: "agents_tables_up", help: "1 when the database answered for its tables", type: "gauge" } as const;
  onScrape(registry, up, async () => one(Number((await open()) !== null)));
  for (const metric of OPEN_WORK) gaugeOf(registry, metric, open);
  for (const metric of TOTALS) gaugeOf(registry, metric, totals);
}

/** Without an answer of the database the metric is absent: an unknown value is never 0. */
function gaugeOf<Read>(
  registry: Registry,
  { name, help, samples }: TableMetric<Read>,
  read: () => Promise<Read | null>,
): void {
  onScrape(registry, { name, help, type: "gauge" }, async () => {
    const found = await read();
    return found === null ? [] : samples(found);
  });
}

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
