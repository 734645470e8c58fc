/** The log of deliveries as their owner reads it and sends from it anew: pages, tests and replays. */
import type pg from "pg";
import { fail } from "../../core/errors.ts";
import { PING } from "../../core/webhooks/payload.ts";
import type { Delivery, DeliveryState } from "../../core/webhooks/webhook.ts";
import { type Queryable, transaction } from "../transaction.ts";
import { MOST_WAITING } from "./fan-out.ts";
import { giveTurns } from "./turns.ts";
import { wakeWebhooks } from "./webhooks.ts";

const DELIVERY = `
  d.delivery_id::float8 as "deliveryId", d.event_id as "eventId", d.event_type as "eventType",
  d.position::float8 as position, d.final, d.state, d.created_at as "createdAt", d.due_at as "dueAt",
  d.settled_at as "settledAt", d.attempts, d.log`;

/** A page of a webhook's deliveries, the newest first, before an id. */
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

/** How many deliveries of each webhook wait, and how many were given up. */
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
 * Adds a ping, due at once. The same event id again is the same ping.
 * @throws Failure conflict for a webhook with too much waiting
 */
export async function insertPing(
  db: pg.Pool,
  { webhookId, eventId, now }: { webhookId: string; eventId: string; now: Date },
): Promise<Delivery> {
  return transaction(db, async (tx) => {
    await tryAtOnce(tx, webhookId);
    const { rows } = await tx.query<Delivery>(
      `insert into offchain.webhook_delivery as d (webhook_id, event_id, event_type, final, due_at, created_at)
       select webhook_id, $2, '${PING}', true, $3, $3 from offchain.webhook w
       where w.webhook_id = $1 and (select count(*) from (
         select from offchain.webhook_delivery d where d.webhook_id = $1 and d.state = 'pending'
         limit ${MOST_WAITING}) waiting) < ${MOST_WAITING}
       on conflict (webhook_id, event_id) do update set event_id = excluded.event_id returning ${DELIVERY}`,
      [webhookId, eventId, now],
    );
    if (!rows[0]) return fail("conflict", `${MOST_WAITING} deliveries of this webhook wait already.`);
    await giveTurns(tx, [webhookId], now);
    return rows[0];
  });
}

/**
 * Makes a settled delivery due again, with all its attempts; one that still waits is left alone.
 * @throws Failure not_found; gone when the log keeps its event no longer
 */
export async function replayDelivery(
  db: pg.Pool,
  { webhookId, deliveryId, now }: { webhookId: string; deliveryId: number; now: Date },
): Promise<Delivery> {
  const replayed = await transaction(db, async (tx) => {
    await tryAtOnce(tx, webhookId);
    const { rows } = await tx.query<Delivery>(
      `update offchain.webhook_delivery d set ${REPLAYED}
       where d.webhook_id = $1 and d.delivery_id = $2 and d.state <> 'pending' and ${IS_KEPT} returning ${DELIVERY}`,
      [webhookId, deliveryId, now],
    );
    await giveTurns(tx, [webhookId], now);
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

/** A ping is made anew each time; an event has to be in the log. */
const IS_KEPT = `(d.event_type = '${PING}' or exists (select from offchain.event e where e.id = d.event_id))`;

const REPLAYED = "state = 'pending', attempts = 0, due_at = $3, settled_at = null, lease = null, lease_until = null";

/** Makes every delivery that was given up since a moment due again, the oldest ones up to `most`. @returns how many */
export async function replayDead(
  db: pg.Pool,
  { webhookId, since, most, now }: { webhookId: string; since: Date; most: number; now: Date },
): Promise<number> {
  return transaction(db, async (tx) => {
    await tryAtOnce(tx, webhookId);
    const { rowCount } = await tx.query(
      `update offchain.webhook_delivery d set ${REPLAYED}
       where d.delivery_id in (
         select delivery_id from offchain.webhook_delivery d
         where webhook_id = $1 and state = 'dead' and settled_at >= $2 and ${IS_KEPT}
         order by delivery_id limit $4 for update)`,
      [webhookId, since, now, most],
    );
    await giveTurns(tx, [webhookId], now);
    return rowCount ?? 0;
  });
}

/** The caller says that the receiver is back: a pause ends. The webhook is locked before its deliveries. */
async function tryAtOnce(tx: Queryable, webhookId: string): Promise<void> {
  await tx.query("update offchain.webhook set paused_until = null where webhook_id = $1 and paused_until is not null", [
    webhookId,
  ]);
  await wakeWebhooks(tx);
}

/** How many deliveries were given up since a moment. */
export async function countDead(db: Queryable, webhookId: string, since: Date): Promise<number> {
  const { rows } = await db.query(
    `select count(*)::int as count from offchain.webhook_delivery d
     where webhook_id = $1 and state = 'dead' and settled_at >= $2 and ${IS_KEPT}`,
    [webhookId, since],
  );
  return rows[0].count;
}
