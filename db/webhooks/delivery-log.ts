/** The delivery log of a webhook's owner: pages, test deliveries and replays. */
import { and, eq, isNotNull } from "drizzle-orm";
import type pg from "pg";
import { fail } from "../../core/errors.ts";
import { PING } from "../../core/webhooks/payload.ts";
import type { Delivery, DeliveryState } from "../../core/webhooks/webhook.ts";
import { isKeptSql } from "../events/events.ts";
import { webhook, webhookDelivery } from "../schema/webhooks.ts";
import { orm } from "../sql/orm.ts";
import { statement, t } from "../sql/statement.ts";
import { columnsOf } from "../sql/table-columns.ts";
import { type Queryable, transaction } from "../sql/transaction.ts";
import { MAX_PENDING } from "./fan-out.ts";
import { scheduleOwners } from "./owner-schedule.ts";
import { wakeWebhooks } from "./webhooks.ts";

const DELIVERY_COLUMNS = columnsOf(webhookDelivery, { without: ["webhookId", "lease", "leaseUntil"] });
/** SQL of a delivery `d`. */
const DELIVERY = t.fieldsOf(DELIVERY_COLUMNS, { of: "d" });

/** A page of a webhook's deliveries before an id, the newest first. */
export const deliveryPage = statement({
  name: "webhook-deliveries",
  given: (
    webhookId: string,
    { state, before, limit }: { state?: DeliveryState | undefined; before?: number | undefined; limit: number },
  ) => ({ webhookId, before: before ?? Number.MAX_SAFE_INTEGER, state: state ?? null, limit }),
  params: { webhookId: t.text, before: t.int8, state: t.nullable(t.text), limit: t.int8 },
  text: `
    select ${DELIVERY} from offchain.webhook_delivery d
    where d.webhook_id = $webhookId and d.delivery_id < $before and ($state::text is null or d.state = $state)
    order by d.delivery_id desc limit $limit`,
  columns: DELIVERY_COLUMNS,
  prepared: true,
}).rows;

/** Number of pending and of dead deliveries, by webhook. */
export async function deliveryCounts(
  db: Queryable,
  webhookIds: readonly string[],
): Promise<Map<string, { pending: number; dead: number }>> {
  const rows = await COUNTS.rows(db, { webhookIds });
  return new Map(rows.map(({ webhookId, ...counts }) => [webhookId, counts]));
}

const COUNTS = statement({
  name: "webhook-delivery-counts",
  params: { webhookIds: t.array(t.text) },
  text: `
    select webhook_id as "webhookId", count(*) filter (where state = 'pending')::int as pending,
      count(*) filter (where state = 'dead')::int as dead
    from offchain.webhook_delivery
    where webhook_id = any($webhookIds) and state in ('pending', 'dead') group by webhook_id`,
  columns: { webhookId: t.text, pending: t.int4, dead: t.int4 },
  prepared: true,
});

/**
 * Adds a test delivery, due at once. The same event id again is the same delivery.
 * Check then write: on, with fewer than 1,000 waiting, then the delivery (so the replays); parallel pings may come: one
 * statement, and pings may pass the limit by the few that run at once (60 a minute).
 * @throws Failure conflict for a webhook with too many pending deliveries
 */
export async function insertPing(
  db: pg.Pool,
  { webhookId, eventId, now }: { webhookId: string; eventId: string; now: Date },
): Promise<Delivery> {
  return transaction(db, async (tx) => {
    await endPause(tx, webhookId);
    const delivery = await INSERT_PING.maybeOne(tx, { webhookId, eventId, now });
    if (!delivery) return fail("conflict", `${MAX_PENDING} deliveries of this webhook wait already.`);
    await scheduleOwners(tx, { webhookIds: [webhookId], now });
    return delivery;
  });
}

const INSERT_PING = statement({
  name: "webhook-ping",
  params: { webhookId: t.text, eventId: t.text, now: t.timestamptz },
  text: `
    insert into offchain.webhook_delivery as d (webhook_id, event_id, event_type, final, due_at, created_at)
    select webhook_id, $eventId, '${PING}', true, $now, $now from offchain.webhook w
    where w.webhook_id = $webhookId and (select count(*) from (
      select from offchain.webhook_delivery d where d.webhook_id = $webhookId and d.state = 'pending'
      limit ${MAX_PENDING}) waiting) < ${MAX_PENDING}
    on conflict (webhook_id, event_id) do update set event_id = excluded.event_id returning ${DELIVERY}`,
  columns: DELIVERY_COLUMNS,
});

/**
 * Makes a settled delivery due again, with all its attempts; a pending one is not changed.
 * @throws Failure not_found; gone when its event is no longer in the log
 */
export async function replayDelivery(
  db: pg.Pool,
  { webhookId, deliveryId, now }: { webhookId: string; deliveryId: number; now: Date },
): Promise<Delivery> {
  const replayed = await transaction(db, async (tx) => {
    await endPause(tx, webhookId);
    const delivery = await REPLAY.maybeOne(tx, { webhookId, deliveryId, now });
    await scheduleOwners(tx, { webhookIds: [webhookId], now });
    return delivery;
  });
  if (replayed) return replayed;
  const row = await BY_ID.maybeOne(db, { webhookId, deliveryId });
  if (!row) return fail("not_found", "This webhook has no delivery of this id.");
  if (row.state !== "pending") return fail("gone", "The event is no longer kept, so it cannot be sent again.");
  return row;
}

/** A test event is composed for each attempt; any other event must be in the log. */
const IS_KEPT = `(d.event_type = '${PING}' or exists (
  select from offchain.event e where e.id = d.event_id and ${isKeptSql("e")}))`;

const REPLAYED = "state = 'pending', attempts = 0, due_at = $now, settled_at = null, lease = null, lease_until = null";

const REPLAY = statement({
  name: "webhook-replay",
  params: { webhookId: t.text, deliveryId: t.int8, now: t.timestamptz },
  text: `
    update offchain.webhook_delivery d set ${REPLAYED}
    where d.webhook_id = $webhookId and d.delivery_id = $deliveryId and d.state <> 'pending' and ${IS_KEPT}
    returning ${DELIVERY}`,
  columns: DELIVERY_COLUMNS,
});
const BY_ID = statement({
  name: "webhook-delivery",
  params: { webhookId: t.text, deliveryId: t.int8 },
  text: `
    select ${DELIVERY} from offchain.webhook_delivery d
    where d.webhook_id = $webhookId and d.delivery_id = $deliveryId`,
  columns: DELIVERY_COLUMNS,
});

/** Makes dead deliveries due again that ended since a time, the oldest `most` of them. @returns their number */
export async function replayDead(
  db: pg.Pool,
  { webhookId, since, most, now }: { webhookId: string; since: Date; most: number; now: Date },
): Promise<number> {
  return transaction(db, async (tx) => {
    await endPause(tx, webhookId);
    const replayed = await REPLAY_DEAD.run(tx, { webhookId, since, now, most });
    await scheduleOwners(tx, { webhookIds: [webhookId], now });
    return replayed;
  });
}

const REPLAY_DEAD = statement({
  name: "webhook-replay-dead",
  params: { webhookId: t.text, since: t.timestamptz, now: t.timestamptz, most: t.int8 },
  text: `
    update offchain.webhook_delivery d set ${REPLAYED}
    where d.delivery_id in (
      select delivery_id from offchain.webhook_delivery d
      where webhook_id = $webhookId and state = 'dead' and settled_at >= $since and ${IS_KEPT}
      order by delivery_id limit $most for update)`,
});

/** Ends the pause of a receiver that the caller says is back. Locks the webhook, before its deliveries. */
async function endPause(tx: Queryable, webhookId: string): Promise<void> {
  await orm(tx)
    .update(webhook)
    .set({ pausedUntil: null })
    .where(and(eq(webhook.webhookId, webhookId), isNotNull(webhook.pausedUntil)));
  await wakeWebhooks(tx);
}

/** Number of deliveries that became dead since a time and can be replayed. */
export const countDead = statement({
  name: "webhook-count-dead",
  params: { webhookId: t.text, since: t.timestamptz },
  text: `
    select count(*)::int as count from offchain.webhook_delivery d
    where webhook_id = $webhookId and state = 'dead' and settled_at >= $since and ${IS_KEPT}`,
  columns: { count: t.int4 },
}).onlyValue;
