/** What is removed by its age goes by the database's clock: a worker whose clock is years off removes nothing early, and nothing late. */
import { expect, it } from "vitest";
import { historyState } from "../../db/cred/cred-history-months.ts";
import { appendEvents, type NewEvent } from "../../db/events/append-events.ts";
import { isSequencingDue, sequenceEvents } from "../../db/events/event-sequence.ts";
import { eventLog } from "../../db/events/events.ts";
import { transaction } from "../../db/sql/transaction.ts";
import { credHistory } from "../../workers/cred/score.ts";
import { eventRetention } from "../../workers/events/event-retention.ts";
import { messageRetention } from "../../workers/messages/message-retention.ts";
import { prune } from "../../workers/operations/prune.ts";
import { webhookUpkeep } from "../../workers/webhooks/webhook-upkeep.ts";
import { testDatabase } from "../support/database.ts";
import { perFile } from "../support/started.ts";

const DAY_MS = 86_400_000;
const KEPT_MS = 5 * DAY_MS;

const db = perFile(() => testDatabase({ indexed: true }));

/** What each job removes in a worker with a clock. */
async function removed(clock: Date) {
  const config = {
    ...{ eventRetentionMs: KEPT_MS, messageRetentionMs: KEPT_MS, credHistoryRetentionMs: KEPT_MS },
    snapshots: { retentionMs: KEPT_MS },
  };
  const context = { db: db.pool, clock: () => clock, config } as never;
  return {
    events: await eventRetention.run(context, {}),
    messages: await messageRetention.run(context, {}),
    pruned: await prune.run(context, {}),
    webhooks: await webhookUpkeep.run(context, {}),
    // Twice: a month that began by mistake could be removed by the next run.
    months: await credHistory.run(context, {}).then(async (begun) => begun + (await credHistory.run(context, {}))),
  };
}

function note(daysAgo: number): NewEvent {
  const at = new Date(Date.now() - daysAgo * DAY_MS);
  const data = { changed: ["social"], storage: "offchain" };
  return { type: "agent.updated", data, tokenId: 1, fact: `note ${at.toISOString()}`, at } as NewEvent;
}

it("removes the same whether the worker's clock is years ahead or behind", async () => {
  const { pool } = db;
  await removed(new Date());
  await appendEvents(pool, [note(6), note(1)]);
  while (await isSequencingDue(pool)) await transaction(pool, (tx) => sequenceEvents(tx, new Date(0)));
  await pool.query(
    `with g as (update offchain.message_group set last_message_id = 2, member_count = 1 where group_id = 'general')
     insert into offchain.message (group_id, message_id, sender, sender_name, sender_token_id, sender_cred, content, sent_at)
     select 'general', n, '0x1', 'Ada', 0, 50, 'm', now() - (11 - 5 * n) * interval '1 day' from generate_series(1, 2) n`,
  );
  await pool.query(
    `insert into offchain.retired_slug values ('old', 'x', now() - interval '91 days'), ('new', 'x', now())`,
  );
  const delivery = (id: string, days: number) =>
    `('w', '${id}', 'agent.updated', true, 'delivered', now() - interval '${days} days',
      now() - interval '${days} days', now() - interval '${days} days')`;
  await db.plant("webhook", { webhook_id: "w", owner: "0x1", url: "https://a.example" });
  await pool.query(
    `insert into offchain.webhook_delivery (webhook_id, event_id, event_type, final, state, created_at, due_at, settled_at)
     values ${delivery("old", 6)}, ${delivery("new", 1)}`,
  );
  await db.plant("cred_history", { token_id: 1, score: 5 });
  const nothing = { events: 0, messages: 0, pruned: 0, webhooks: 0, months: 0 };
  expect(await removed(new Date("2019-01-01"))).toEqual({ ...nothing, events: 1, messages: 1, pruned: 1, webhooks: 1 });
  expect(await removed(new Date("2099-01-01"))).toEqual(nothing);
  expect(await eventLog(pool)).toEqual({ head: 2, keptAfter: 1 });
  expect((await historyState(pool)).keptSince).toBe(null);
});
