/** State of the tables for operators: open work, money owed, delays. */
import { type Row, statement, t } from "../sql/statement.ts";

/** How many rows are in a state, and for how many seconds the oldest of them has been there. */
export type StateCount = { state: string; rows: number; oldestSeconds: number };

type Waiting = { rows: number; oldestSeconds: number };
type SenderWork = {
  balanceEther: number;
  funded: boolean;
  checkedSeconds: number;
  /** Cost of transactions since midnight (UTC), and max cost per day; 0 = no limit. */
  spentEther: number;
  budgetEther: number;
  /** Of free writes today, with what is under way: all, and those of new agents. */
  freeEther: number;
  newcomersEther: number;
  /** The day's budget is used up. */
  paused: boolean;
};

const AGE = (column: string) => `coalesce(extract(epoch from clock_timestamp() - min(${column})), 0)::float8`;
const listed = (select: string) => `(select coalesce(json_agg(found), '[]') from (${select}) found)`;
const one = (select: string) => `(select row_to_json(found) from (${select}) found)`;

/** Open work, in one statement, so that all figures are of one snapshot. Small partial indexes answer it, so it can run every few seconds. */
export const openWork = statement({
  name: "open-work",
  text: `select
      ${listed(`select state, count(*) as rows, ${AGE("created_at")} as "oldestSeconds" from offchain.payment
                where state in ('new', 'settling', 'paid') group by state`)} as payments,
      ${one(`select count(*) as rows, coalesce(sum(amount_units), 0)::float8 as units, ${AGE("updated_at")} as "oldestSeconds"
             from offchain.payment where state = 'refund_due'`)} as "refundDue",
      ${one(`select coalesce(sum(amount_units) filter (where state <> 'lost'), 0)::float8 as "openUnits",
               coalesce(sum(amount_units) filter (where state = 'lost'), 0)::float8 as "lostUnits"
             from offchain.payment where early_at is not null`)} as early,
      ${listed(`select state, count(*) as rows, ${AGE("coalesce(signed_at, created_at)")} as "oldestSeconds"
                from offchain.transaction_outbox where state = 'signed' or state = 'queued' and not waits group by state`)} as transactions,
      ${one(`select count(*) as rows, ${AGE("created_at")} as "oldestSeconds"
             from offchain.transaction_outbox where state = 'queued' and waits`)} as "waitingTransactions",
      (select coalesce(sum(gap), 0)::int from (
         select max(i.nonce) - min(i.nonce) + 1 - count(*) + greatest(min(i.nonce) - coalesce((
           select max(done.nonce) + 1 from offchain.transaction_outbox done
           where done.sender = i.sender and done.state in ('mined', 'reverted')), min(i.nonce)), 0) as gap
         from offchain.transaction_outbox i where i.state = 'signed' group by i.sender) gaps) as "nonceGap",
      ${one(`select count(*) as rows, ${AGE("created_at")} as "oldestSeconds" from offchain.mint where state = 'pending'`)}
        as "pendingMints",
      ${one(`select count(*) as rows, ${AGE("dispatched_at")} as "oldestSeconds" from offchain.dispatch where state = 'pending'`)}
        as undispatched,
      ${one(`select (balance_wei / 1e18)::float8 as "balanceEther", funded, paused_until is not null as paused,
               (spent_wei / 1e18)::float8 as "spentEther", (budget_wei / 1e18)::float8 as "budgetEther",
               (free_wei / 1e18)::float8 as "freeEther", (newcomers_wei / 1e18)::float8 as "newcomersEther",
               extract(epoch from clock_timestamp() - checked_at)::float8 as "checkedSeconds" from offchain.sender_state`)}
        as sender,
      ${listed(`select name, extract(epoch from last_success_at)::float8 as "lastSuccessAt",
                  greatest(extract(epoch from clock_timestamp() - next_run_at), 0)::float8 as "overdueSeconds"
                from offchain.job_run order by name`)} as jobs,
      ${listed(`select source, extract(epoch from last_success_at)::float8 as "lastSuccessAt"
                from offchain.directory_pull order by source`)} as pulls`,
  columns: {
    /** new, settling, paid */
    payments: t.json<StateCount[]>(),
    refundDue: t.json<Waiting & { units: number }>(),
    /** Units of USDC that were sold for before their confirmations: those without them yet, and those of all time that were lost. */
    early: t.json<{ openUnits: number; lostUnits: number }>(),
    /** queued, signed; without queued ones of low priority */
    transactions: t.json<StateCount[]>(),
    /** Queued with low priority: all others are signed first. */
    waitingTransactions: t.json<Waiting>(),
    /** Unused nonces below those in use: transactions behind such a gap are never mined. */
    nonceGap: t.int4,
    pendingMints: t.json<Waiting>(),
    /** Events that the dispatcher has taken and not yet handed to the queue. */
    undispatched: t.json<Waiting>(),
    /** Null before the sender ever ran. */
    sender: t.nullable(t.json<SenderWork>()),
    /** Scheduled jobs; `overdueSeconds` counts from when the next run was due. */
    jobs: t.json<{ name: string; lastSuccessAt: number | null; overdueSeconds: number }[]>(),
    /** Pulls of the directory's sources; times are Unix seconds. */
    pulls: t.json<{ source: string; lastSuccessAt: number | null }[]>(),
  },
  prepared: true,
}).one;
export type OpenWork = Row<typeof openWork>;

const byState = (table: string) =>
  `(select coalesce(json_object_agg(state, rows), '{}') from (select state, count(*) as rows from ${table} group by state) counted)`;

/** Every row by its state, and an estimate of the directory's rows. Reads whole tables: call it once a minute at most. */
export const stateTotals = statement({
  name: "state-totals",
  text: `select ${byState("offchain.payment")} as payments, ${byState("offchain.transaction_outbox")} as transactions,
      ${byState("offchain.mint")} as mints,
      (select greatest(reltuples, 0)::float8 from pg_class where oid = 'offchain.directory'::regclass) as "directoryRows",
      (select coalesce(json_object_agg(source, rows), '{}')
       from (select source, count(*) as rows from offchain.directory_quarantine group by source) counted) as quarantined,
      (select count(*)::int from offchain.token_uri where state not in ('set', 'own')) as "tokensWithoutUri",
      (select coalesce(json_object_agg(status, rows), '{}')
       from (select status, count(*) as rows from offchain.offer_source group by status) counted) as "offerSources"`,
  columns: {
    payments: t.json<Record<string, number>>(),
    transactions: t.json<Record<string, number>>(),
    mints: t.json<Record<string, number>>(),
    /** From the database's statistics. */
    directoryRows: t.float8,
    /** Items that could not be read or stored, by source; a source without any is left out. */
    quarantined: t.json<Record<string, number>>(),
    /** Tokens without a URI, as the chain last answered. */
    tokensWithoutUri: t.int4,
    /** Endpoints of agents that are read for offers, by status. */
    offerSources: t.json<Record<string, number>>(),
  },
  prepared: true,
}).one;
export type Totals = Row<typeof stateTotals>;

/** Payments presented within the last day, by method, operation and state. Reads the payments of the day: call it once a minute at most. */
export const paymentsOfDay = statement({
  name: "payments-of-day",
  text: `
    select method, operation, state, count(*)::int4 as rows, coalesce(sum(amount_units), 0)::float8 as units
    from offchain.payment where created_at > clock_timestamp() - interval '1 day'
    group by method, operation, state order by operation, method, state`,
  columns: { method: t.text, operation: t.text, state: t.text, rows: t.int4, units: t.float8 },
  prepared: true,
}).rows;
export type PaymentsOfDay = Row<typeof paymentsOfDay>;

/** Max deliveries to count: strangers can create many, and the count runs every few seconds. */
const MAX_COUNTED = 100_000;

/** Progress of the event log and of the webhooks that follow it. Reads small partial indexes, like `openWork`. */
export const eventWork = statement({
  name: "event-work",
  text: `select
      (select coalesce(max(head), 0)::float8 from offchain.event_log) as head,
      (select coalesce(max(position), 0)::float8 from offchain.webhook_cursor) as "handedOut",
      (select count(*)::int from offchain.event where position is null) as unplaced,
      ${one(`select count(*) filter (where disabled_at is null) as on, count(disabled_at) as off from offchain.webhook`)}
        as webhooks,
      ${one(`select
               (select count(*) from (
                  select from offchain.webhook_delivery d join offchain.webhook w using (webhook_id)
                  where d.state = 'pending' and w.disabled_at is null limit ${MAX_COUNTED}) counted) as rows,
               (select greatest(${AGE("due_answering")}, 0) from offchain.webhook_turn) as "oldestSeconds"`)} as pending,
      (select count(*)::int from (
         select from offchain.webhook_delivery where state = 'dead' limit ${MAX_COUNTED}) counted) as dead`,
  columns: {
    /** The last position in the log, and the position up to which webhooks have got their deliveries. */
    head: t.float8,
    handedOut: t.float8,
    /** Appended events without a position. */
    unplaced: t.int4,
    webhooks: t.json<{ on: number; off: number }>(),
    /**
     * Deliveries to webhooks that are on, counted up to 100,000. `oldestSeconds`: longest wait of an owner for its turn,
     * among owners whose receivers answer; receivers that hang raise no alarm.
     */
    pending: t.json<Waiting>(),
    /** Failed for the last time; kept for a replay. Counted up to 100,000. */
    dead: t.int4,
  },
  prepared: true,
}).one;
export type EventWork = Row<typeof eventWork>;
