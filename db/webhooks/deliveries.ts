/** Deliveries on their way: made due, claimed under a lease by one worker, settled by what came of the attempt. */
import type { AttemptOutcome } from "../../core/webhooks/attempts.ts";
import type { Delivery, DeliveryState, LoggedAttempt } from "../../core/webhooks/webhook.ts";
import type { Queryable } from "../transaction.ts";

/** A delivery in the hands of a worker. */
export type ClaimedDelivery = Pick<
  Delivery,
  "deliveryId" | "eventId" | "eventType" | "position" | "final" | "createdAt" | "attempts"
> & {
  /** Settles it, as long as nobody else has claimed it since. */
  lease: string;
  webhookId: string;
  url: string;
};

export type ClaimOptions = {
  now: Date;
  lease: string;
  /** How long the claim holds: more than an attempt can take. */
  leaseMs: number;
  /** Deliveries to claim at most. */
  limit: number;
  /** Of one webhook under way at once, in all processes. */
  perWebhook: number;
  /** A webhook with so many failed attempts in a row is tried by one delivery at a time. */
  failuresBeforeTrial: number;
};

/**
 * Claims what is due, an equal share of every webhook that has something: none waits behind another's backlog. What a
 * killed worker had claimed is due again when its lease is over.
 */
export async function claimDeliveries(db: Queryable, options: ClaimOptions): Promise<ClaimedDelivery[]> {
  const { now, lease, leaseMs, limit, perWebhook, failuresBeforeTrial } = options;
  const { rows } = await db.query<ClaimedDelivery>({
    name: "webhook-claim",
    // The first part walks from webhook to webhook on the index of pending deliveries, whatever their number.
    text: `
      with recursive waiting as (
        (select webhook_id from offchain.webhook_delivery where state = 'pending' order by webhook_id limit 1)
        union all
        select (select d.webhook_id from offchain.webhook_delivery d
                where d.state = 'pending' and d.webhook_id > waiting.webhook_id order by d.webhook_id limit 1)
        from waiting where waiting.webhook_id is not null
      ), ready as (
        select w.webhook_id, case when w.failures >= $6 then 1 else $5::int end - (
          select count(*) from offchain.webhook_delivery d
          where d.webhook_id = w.webhook_id and d.state = 'pending' and d.lease_until > $1)::int as room
        from waiting join offchain.webhook w using (webhook_id)
        where w.disabled_at is null and (w.paused_until is null or w.paused_until <= $1)
      ), due as (
        select d.delivery_id from ready cross join lateral (
          select delivery_id, due_at from offchain.webhook_delivery
          where webhook_id = ready.webhook_id and state = 'pending' and due_at <= $1
            and (lease_until is null or lease_until <= $1)
          order by due_at, delivery_id limit greatest(ready.room, 0)
          for no key update skip locked) d
        order by d.due_at, d.delivery_id limit $4
      ), claimed as (
        update offchain.webhook_delivery d set lease = $2, lease_until = $1::timestamptz + $3 * interval '1 millisecond'
        from due where d.delivery_id = due.delivery_id returning d.*
      )
      select c.delivery_id::float8 as "deliveryId", c.lease, c.webhook_id as "webhookId", w.url,
        c.event_id as "eventId", c.event_type as "eventType", c.position::float8 as position, c.final,
        c.created_at as "createdAt", c.attempts
      from claimed c join offchain.webhook w using (webhook_id) order by c.due_at, c.delivery_id`,
    values: [now, lease, leaseMs, limit, perWebhook, failuresBeforeTrial],
  });
  return rows;
}

/** An attempt as it is written down. What the receiver answered beyond its status is kept nowhere. */
export type Attempt = {
  at: Date;
  outcome: AttemptOutcome;
  durationMs: number;
};

/** As many attempts of a delivery are remembered, the last ones; replays add to them. */
const ATTEMPTS_KEPT = 20;

/** Writes down what came of an attempt. @returns false when another worker has the delivery by now, or nobody */
export async function settleDelivery(
  tx: Queryable,
  { deliveryId, lease }: Pick<ClaimedDelivery, "deliveryId" | "lease">,
  attempt: Attempt,
  result: { state: DeliveryState; dueAt?: Date },
): Promise<boolean> {
  const { at, outcome, durationMs } = attempt;
  const line: LoggedAttempt = {
    at: at.toISOString(),
    status: outcome.kind === "answered" ? outcome.status : null,
    error: outcome.kind === "answered" ? null : outcome.reason,
    durationMs,
  };
  const { rowCount } = await tx.query({
    name: "webhook-settle",
    text: `
      update offchain.webhook_delivery set state = $3, due_at = coalesce($4, due_at), attempts = attempts + 1,
        lease = null, lease_until = null, settled_at = case when $3 = 'pending' then null else $5::timestamptz end,
        log = case when jsonb_array_length(log) >= ${ATTEMPTS_KEPT} then log - 0 else log end || $6::jsonb
      where delivery_id = $1 and lease = $2`,
    values: [deliveryId, lease, result.state, result.dueAt ?? null, at, JSON.stringify([line])],
  });
  return rowCount === 1;
}

/** Gives a claim back without an attempt; it is due again at `dueAt`. */
export async function postponeDelivery(
  db: Queryable,
  { deliveryId, lease }: Pick<ClaimedDelivery, "deliveryId" | "lease">,
  dueAt: Date,
): Promise<void> {
  await db.query({
    name: "webhook-postpone",
    text: `
      update offchain.webhook_delivery set due_at = $3, lease = null, lease_until = null
      where delivery_id = $1 and lease = $2`,
    values: [deliveryId, lease, dueAt],
  });
}

/** Deletes what was settled, or never sent, before a moment. @returns how many went */
export async function forgetDeliveries(db: Queryable, before: Date): Promise<number> {
  let deleted = 0;
  for (;;) {
    const { rowCount } = await db.query(
      `delete from offchain.webhook_delivery where delivery_id in (
         select delivery_id from offchain.webhook_delivery where created_at < $1
           and coalesce(settled_at, created_at) < $1 and lease is null
         order by created_at limit ${FORGET_SIZE} for update skip locked)`,
      [before],
    );
    deleted += rowCount ?? 0;
    if ((rowCount ?? 0) < FORGET_SIZE) return deleted;
  }
}

const FORGET_SIZE = 2_000;
