/** The log of deliveries as their owner reads it and sends from it anew: pages, tests and replays. */
import { PING } from "../../core/webhooks/payload.ts";
import type { Queryable } from "../transaction.ts";
import type { DeliveryState } from "./deliveries.ts";
import { wakeWebhooks } from "./webhooks.ts";

/** An attempt that was made: the receiver's status, or why there was none. */
export type LoggedAttempt = { at: string; status: number | null; error: string | null; durationMs: number };

export type Delivery = {
  deliveryId: number;
  eventId: string;
  eventType: string;
  position: number | null;
  final: boolean;
  state: DeliveryState;
  createdAt: Date;
  /** When it is sent next; of a settled one when it was to be sent last. */
  dueAt: Date;
  /** When it was delivered or given up. */
  settledAt: Date | null;
  /** Attempts since it was made or last replayed. */
  attempts: number;
  /** The last attempts, the oldest first. */
  log: LoggedAttempt[];
};

const DELIVERY = `
  d.delivery_id::float8 as "deliveryId", d.event_id as "eventId", d.event_type as "eventType",
  d.position::float8 as position, d.final, d.state, d.created_at as "createdAt", d.due_at as "dueAt",
  d.settled_at as "settledAt", d.attempts, d.log`;

/** A page of a webhook's deliveries, the newest first, before an id. */
export async function deliveryPage(
  db: Queryable,
  webhookId: string,
  { state, before, limit }: { state: DeliveryState | undefined; before: number | undefined; limit: number },
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

/** Adds a ping, due at once. The same event id again is the same ping. */
export async function insertPing(
  db: Queryable,
  { webhookId, eventId, now }: { webhookId: string; eventId: string; now: Date },
): Promise<Delivery> {
  const { rows } = await db.query<Delivery>(
    `insert into offchain.webhook_delivery as d (webhook_id, event_id, event_type, final, due_at, created_at)
     values ($1, $2, '${PING}', true, $3, $3)
     on conflict (webhook_id, event_id) do update set event_id = excluded.event_id returning ${DELIVERY}`,
    [webhookId, eventId, now],
  );
  await wakeWebhooks(db);
  return rows[0]!;
}

/** Makes a settled delivery due again, with all its attempts; one that still waits is left alone. @returns null when there is none */
export async function replayDelivery(
  db: Queryable,
  { webhookId, deliveryId, now }: { webhookId: string; deliveryId: number; now: Date },
): Promise<Delivery | null> {
  const { rows } = await db.query<Delivery>(
    `update offchain.webhook_delivery d set ${REPLAYED}
     where d.webhook_id = $1 and d.delivery_id = $2 and d.state <> 'pending' returning ${DELIVERY}`,
    [webhookId, deliveryId, now],
  );
  if (rows[0]) {
    await wakeWebhooks(db);
    return rows[0];
  }
  const [waiting] = await deliveryPage(db, webhookId, { state: "pending", before: deliveryId + 1, limit: 1 });
  return waiting?.deliveryId === deliveryId ? waiting : null;
}

const REPLAYED = "state = 'pending', attempts = 0, due_at = $3, settled_at = null, lease = null, lease_until = null";

/** Makes every delivery that was given up since a moment due again, the oldest ones up to `most`. @returns how many */
export async function replayDead(
  db: Queryable,
  { webhookId, since, most, now }: { webhookId: string; since: Date; most: number; now: Date },
): Promise<number> {
  const { rowCount } = await db.query(
    `update offchain.webhook_delivery d set ${REPLAYED}
     where d.delivery_id in (
       select delivery_id from offchain.webhook_delivery
       where webhook_id = $1 and state = 'dead' and settled_at >= $2 order by delivery_id limit $4 for update)`,
    [webhookId, since, now, most],
  );
  if ((rowCount ?? 0) > 0) await wakeWebhooks(db);
  return rowCount ?? 0;
}
