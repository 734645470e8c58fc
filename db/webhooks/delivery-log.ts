/** The delivery log of a webhook's owner: pages, test deliveries and replays. */
import type pg from "pg";
import { fail } from "../../core/errors.ts";
import { PING } from "../../core/webhooks/payload.ts";
import type { Delivery, DeliveryState } from "../../core/webhooks/webhook.ts";
import { type Queryable, transaction } from "../transaction.ts";
import { MAX_PENDING } from "./fan-out.ts";
import { scheduleOwners } from "./owner-schedule.ts";
import { wakeWebhooks } from "./webhooks.ts";

const DELIVERY = `
  d.delivery_id::float8 as "deliveryId", d.event_id as "eventId", d.event_type as "eventType",
  d.position::float8 as position, d.final, d.state, d.created_at as "createdAt", d.due_at as "dueAt",
  d.settled_at as "settledAt", d.attempts, d.log`;

/** A page of a webhook's deliveries before an id, the newest first. */
export async function deliveryPage(
  db: Queryable,
  webhookId: string,
  { state, before, limit }: { state?: DeliveryState | undefined; before?: number | undefined; limit: number },
): Promise<Delivery[]> {
  const { rows } = await db.query<Delivery>({
    name: "webhook-deliveries",
    text: `
      select ${DELIVERY} from offchain.webhook_delivery d
      where d.webhook_id = $1 and d.delivery_id < $2 and ($3::text is null or d.state = $3)
      order by d.delivery_id desc limit $4`,
    values: [webhookId, before ?? Number.MAX_SAFE_INTEGER, state ?? null, limit],
  });
  return rows;
}

/** Number of pending and of dead deliveries, by webhook. */
export async function deliveryCounts(
  db: Queryable,
  webhookIds: readonly string[],
): Promise<Map<string, { pending: number; dead: number }>> {
  const { rows } = await db.query<{ webhookId: string; pending: number; dead: number }>({
    name: "webhook-delivery-counts",
    text: `
      select webhook_id as "webhookId", count(*) filter (where state = 'pending')::int as pending,
        count(*) filter (where state = 'dead')::int as dead
      from offchain.webhook_delivery where webhook_id = any($1) and state in ('pending', 'dead') group by webhook_id`,
    values: [webhookIds],
  });
  return new Map(rows.map(({ webhookId, ...counts }) => [webhookId, counts]));
}

/**
 * Adds a test delivery, due at once. The same event id again is the same delivery.
 * @throws Failure conflict for a webhook with too many pending deliveries
 */
export async function insertPing(
  db: pg.Pool,
  { webhookId, eventId, now }: { webhookId: string; eventId: string; now: Date },
): Promise<Delivery> {
  return transaction(db, async (tx) => {
    await endPause(tx, webhookId);
    const { rows } = await tx.query<Delivery>(
      `insert into offchain.webhook_delivery as d (webhook_id, event_id, event_type, final, due_at, created_at)
       select webhook_id, $2, '${PING}', true, $3, $3 from offchain.webhook w
       where w.webhook_id = $1 and (select count(*) from (
         select from offchain.webhook_delivery d where d.webhook_id = $1 and d.state = 'pending'
         limit ${MAX_PENDING}) waiting) < ${MAX_PENDING}
       on conflict (webhook_id, event_id) do update set event_id = excluded.event_id returning ${DELIVERY}`,
      [webhookId, eventId, now],
    );
    if (!rows[0]) return fail("conflict", `${MAX_PENDING} deliveries of this webhook wait already.`);
    await scheduleOwners(tx, [webhookId], now);
    return rows[0];
  });
}

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
    const { rows } = await tx.query<Delivery>(
      `update offchain.webhook_delivery d set ${REPLAYED}
       where d.webhook_id = $1 and d.delivery_id = $2 and d.state <> 'pending' and ${IS_KEPT} returning ${DELIVERY}`,
      [webhookId, deliveryId, now],
    );
    await scheduleOwners(tx, [webhookId], now);
    return rows[0];
  });
  if (replayed) return replayed;
  const { rows: there } = await db.query<Delivery>(
    `select ${DELIVERY} from offchain.webhook_delivery d where d.webhook_id = $1 and d.delivery_id = $2`,
    [webhookId, deliveryId],
  );
  const [found] = there;
  if (!found) return fail("not_found", "This webhook has no delivery of this id.");
  if (found.state !== "pending") return fail("gone", "The event is no longer kept, so it cannot be sent again.");
  return found;
}

/** A test event is composed for each attempt; any other event must be in the log. */
const IS_KEPT = `(d.event_type = '${PING}' or exists (select from offchain.event e where e.id = d.event_id))`;

const REPLAYED = "state = 'pending', attempts = 0, due_at = $3, settled_at = null, lease = null, lease_until = null";

/** Makes dead deliveries due again that ended since a time, the oldest `most` of them. @returns their number */
export async function replayDead(
  db: pg.Pool,
  { webhookId, since, most, now }: { webhookId: string; since: Date; most: number; now: Date },
): Promise<number> {
  return transaction(db, async (tx) => {
    await endPause(tx, webhookId);
    const { rowCount } = await tx.query(
      `update offchain.webhook_delivery d set ${REPLAYED}
       where d.delivery_id in (
         select delivery_id from offchain.webhook_delivery d
         where webhook_id = $1 and state = 'dead' and settled_at >= $2 and ${IS_KEPT}
         order by delivery_id limit $4 for update)`,
      [webhookId, since, now, most],
    );
    await scheduleOwners(tx, [webhookId], now);
    return rowCount ?? 0;
  });
}

/** Ends the pause of a receiver that the caller says is back. Locks the webhook, before its deliveries. */
async function endPause(tx: Queryable, webhookId: string): Promise<void> {
  await tx.query("update offchain.webhook set paused_until = null where webhook_id = $1 and paused_until is not null", [
    webhookId,
  ]);
  await wakeWebhooks(tx);
}

/** Number of deliveries that became dead since a time and can be replayed. */
export async function countDead(db: Queryable, webhookId: string, since: Date): Promise<number> {
  const { rows } = await db.query(
    `select count(*)::int as count from offchain.webhook_delivery d
     where webhook_id = $1 and state = 'dead' and settled_at >= $2 and ${IS_KEPT}`,
    [webhookId, since],
  );
  return rows[0].count;
}
