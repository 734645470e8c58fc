/** What the tables tell: ledger, transaction outbox, mints, dispatcher and schedules, from rows as the service leaves them. */
import { Registry } from "prom-client";
import { expect, it } from "vitest";
import { queueIntent } from "../../db/transactions/transaction-outbox.ts";
import { eventGauges, tableGauges } from "../../ops/metrics/tables.ts";
import { testDatabase } from "../support/database.ts";
import { sql } from "../support/sql.ts";
import { perFile } from "../support/started.ts";
import { parseMetrics, sampleOf } from "./support/exposition.ts";

const database = perFile(testDatabase);

/** What gauges tell of the tables now. */
async function told(gauges: typeof tableGauges) {
  const registry = new Registry();
  gauges(registry, database.pool);
  const families = parseMetrics(await registry.metrics());
  return (name: string, labels = {}) => sampleOf(families, name, labels);
}

const SENDER = `0x${"ab".repeat(20)}` as const;

it("tells nothing open of an empty service, and no figures it does not have", async () => {
  const value = await told(tableGauges);
  expect(value("agents_tables_up")).toBe(1);
  expect(value("agents_nonce_gap")).toBe(0);
  expect(value("agents_refunds_due")).toBe(0);
  expect(value("agents_mints_oldest_pending_seconds")).toBe(0);
  expect(value("agents_payments_oldest_seconds", { state: "paid" })).toBe(0);
  expect(value("agents_sender_balance_ether")).toBeUndefined();
});

it("tells what is open, owed and late, and the nonces that are missing", async () => {
  const { pool } = database;
  const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000);
  const payment = (state: string, amount_units: number, minutes: number) =>
    database.plant("payment", {
      ...{ state, amount_units, payer: SENDER, created_at: ago(minutes), updated_at: ago(minutes) },
    });
  await payment("settling", 1_000_000, 10);
  await payment("settling", 1_000_000, 2);
  await payment("refund_due", 2_500_000, 30);
  await payment("fulfilled", 1_000_000, 60);
  for (const intentKey of ["a", "b", "c", "d"])
    await queueIntent(pool, { intentKey, to: SENDER, data: "0x", free: null });
  // Mined up to 4; 5 and 7 are missing below and between those under way.
  const move = (key: string, state: string, nonce: number) =>
    pool.query(sql`update offchain.transaction_outbox set state = ${state}, sender = ${SENDER}, nonce = ${nonce},
        signed_at = now() - interval '1 minute' where intent_key = ${key}`);
  await move("a", "mined", 4);
  await move("b", "signed", 6);
  await move("c", "signed", 8);
  await pool.query(
    "update offchain.transaction_outbox set created_at = now() - interval '5 minutes' where intent_key = 'd'",
  );
  await database.plant("mint", { wallet: SENDER, state: "pending", created_at: ago(1.5) });
  await database.plant("sender_state", {
    ...{ address: SENDER, balance_wei: 15e17, spent_wei: 3e16, budget_wei: 5e16, free_wei: 2e16, newcomers_wei: 5e15 },
    paused_until: ago(-60),
  });
  await database.plant("job_run", { name: "reconcile", last_success_at: ago(0), next_run_at: ago(2) });
  await database.plant("job_run", { name: "prune", next_run_at: ago(-60) });

  // One that lets all others go first is not late: it is counted apart.
  await queueIntent(pool, { intentKey: "uri:1", to: SENDER, data: "0x", waits: true, free: null });
  await pool.query("update offchain.transaction_outbox set created_at = now() - interval '3 days' where waits");
  await pool.query(
    `insert into offchain.token_uri (token_id, state, check_at)
     values (0, 'set', now()), (1, 'queued', now()), (2, 'none', now()), (3, 'own', now()), (4, 'cleared', now())`,
  );

  const value = await told(tableGauges);
  expect(value("agents_token_uris_oldest_seconds")).toBeGreaterThanOrEqual(3 * 86_400);
  expect(value("agents_transactions_oldest_seconds", { state: "queued" })).toBeLessThan(3_600);
  expect(value("agents_tokens_without_uri")).toBe(3);
  expect(value("agents_payments", { state: "settling" })).toBe(2);
  expect(value("agents_payments", { state: "fulfilled" })).toBe(1);
  expect(value("agents_payments_oldest_seconds", { state: "settling" })).toBeGreaterThanOrEqual(600);
  expect(value("agents_payments_oldest_seconds", { state: "paid" })).toBe(0);
  expect(value("agents_refunds_due")).toBe(1);
  expect(value("agents_refunds_due_units")).toBe(2_500_000);
  expect(value("agents_refunds_due_oldest_seconds")).toBeGreaterThanOrEqual(1_800);
  expect(value("agents_transactions", { state: "signed" })).toBe(2);
  expect(value("agents_transactions_oldest_seconds", { state: "queued" })).toBeGreaterThanOrEqual(300);
  expect(value("agents_nonce_gap")).toBe(2);
  expect(value("agents_mints", { state: "pending" })).toBe(1);
  expect(value("agents_mints_oldest_pending_seconds")).toBeGreaterThanOrEqual(90);
  expect(value("agents_sender_balance_ether")).toBe(1.5);
  expect(value("agents_sender_funded")).toBe(0);
  expect(value("agents_sender_spent_ether")).toBe(0.03);
  expect(value("agents_sender_budget_ether")).toBe(0.05);
  expect(value("agents_sender_paused")).toBe(1);
  expect(value("agents_sender_free_share_used", { whose: "all" })).toBeCloseTo(0.8);
  expect(value("agents_sender_free_share_used", { whose: "newcomers" })).toBeCloseTo(0.4);
  expect(value("agents_job_overdue_seconds", { job: "reconcile" })).toBeGreaterThanOrEqual(120);
  expect(value("agents_job_overdue_seconds", { job: "prune" })).toBe(0);
  expect(value("agents_job_last_success_timestamp_seconds", { job: "prune" })).toBeUndefined();
});

it("is asked of the database once in a while only, and says when it does not answer", async () => {
  let asked = 0;
  let time = 0;
  let away = false;
  const counting = {
    query: (...args: unknown[]) => {
      asked++;
      const query = database.pool.query.bind(database.pool) as (...a: unknown[]) => unknown;
      return away ? Promise.reject(new Error("away")) : query(...args);
    },
  };
  const registry = new Registry();
  tableGauges(registry, counting as never, () => time);
  await registry.metrics();
  await registry.metrics();
  expect(asked).toBe(2);
  time = 6_000;
  away = true;
  const families = parseMetrics(await registry.metrics());
  expect(asked).toBe(3);
  expect(sampleOf(families, "agents_tables_up")).toBe(0);
  expect(sampleOf(families, "agents_nonce_gap")).toBeUndefined();
});

it("tells how far the event log is, and what waits for webhooks that are on", async () => {
  const { pool } = database;
  await pool.query("insert into offchain.event_log (head) values (12) on conflict (one) do update set head = 12");
  await pool.query(
    "insert into offchain.webhook_cursor (position) values (9) on conflict (one) do update set position = 9",
  );
  await pool.query(
    "insert into offchain.event (id, type, data, at, final) values ('evt_1', 'cred.changed', '{}', now(), true)",
  );
  await database.plant("webhook", { webhook_id: "on", owner: SENDER, url: "https://a.test" });
  await database.plant("webhook", { webhook_id: "off", owner: SENDER, url: "https://b.test", disabled_at: new Date() });
  const delivery = (webhook: string, event: string, state: string) =>
    pool.query(sql`insert into offchain.webhook_delivery (webhook_id, event_id, event_type, final, state, created_at,
        due_at)
      values (${webhook}, ${event}, 'cred.changed', true, ${state}, now(), now() - interval '3 minutes')`);
  await delivery("on", "evt_1", "pending");
  await delivery("on", "evt_2", "dead");
  await delivery("off", "evt_1", "pending");
  await pool.query(sql`insert into offchain.webhook_turn (owner, due_answering, due_slow)
    values (${SENDER}, now() - interval '3 minutes', now() - interval '9 minutes')`);
  const value = await told(eventGauges);
  expect(value("agents_events_head")).toBe(12);
  expect(value("agents_webhooks_behind_events")).toBe(3);
  expect(value("agents_events_unplaced")).toBe(1);
  expect([value("agents_webhooks", { state: "on" }), value("agents_webhooks", { state: "off" })]).toEqual([1, 1]);
  expect(value("agents_webhook_deliveries_pending")).toBe(1);
  expect(value("agents_webhook_deliveries_overdue_seconds")).toBeGreaterThanOrEqual(180);
  // Receivers that hang are waited for, and no alarm.
  expect(value("agents_webhook_deliveries_overdue_seconds")).toBeLessThan(540);
  expect(value("agents_webhook_deliveries_dead")).toBe(1);
});
