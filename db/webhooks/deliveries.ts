/** Deliveries on their way: made due, claimed under a lease by one worker, settled by what came of the attempt. */
import type pg from "pg";
import type { Address } from "../../core/facts.ts";
import type { AttemptOutcome } from "../../core/webhooks/attempts.ts";
import type { Lane } from "../../core/webhooks/lanes.ts";
import type { Delivery, DeliveryState, LoggedAttempt } from "../../core/webhooks/webhook.ts";
import { type Queryable, transaction } from "../transaction.ts";
import { LANE_SHARES, setNextTurns, TURN_DUE, takeTurns, turnsFor, UNDER_WAY } from "./turns.ts";

/** A delivery in the hands of a worker. */
export type ClaimedDelivery = Pick<
  Delivery,
  "deliveryId" | "eventId" | "eventType" | "position" | "final" | "createdAt" | "attempts"
> & {
  /** Settles it, as long as nobody else has claimed it since. */
  lease: string;
  webhookId: string;
  owner: Address;
  url: string;
  /** Whose places it takes. */
  lane: Lane;
};

export type ClaimOptions = {
  now: Date;
  lease: string;
  /** How long the claim holds: more than an attempt can take. */
  leaseMs: number;
  /** Deliveries to claim at most, by lane. */
  places: Record<Lane, number>;
  /** A webhook with so many failed attempts in a row is tried by one delivery at a time. */
  failuresBeforeTrial: number;
};

/**
 * Claims what is due, owner by owner: those that have waited longest come first, each gives way after its share. What a
 * killed worker had claimed is due again when its lease is over.
 */
export async function claimDeliveries(db: pg.Pool, options: ClaimOptions): Promise<ClaimedDelivery[]> {
  return transaction(db, async (tx) => {
    const owners = await takeTurns(tx, options.now, options.places);
    if (owners.length === 0) return [];
    // Later statements see what was made due before the turns were locked; what is made due after gives its own turn.
    const claimed = await claimOf(tx, owners, options);
    await setNextTurns(tx, owners, claimed, options);
    return claimed;
  });
}

async function claimOf(
  tx: Queryable,
  owners: readonly Address[],
  { now, lease, leaseMs, places, failuresBeforeTrial }: ClaimOptions,
): Promise<ClaimedDelivery[]> {
  const { rows } = await tx.query<ClaimedDelivery>({
    name: "webhook-claim",
    text: `
      with ${UNDER_WAY}, room as (
        select t.owner, lane.*, ${TURN_DUE} as due,
          case when t.slow_until > $1 then lane.per_slow_owner else lane.per_owner end - coalesce(under_way.count, 0) as free
        from offchain.webhook_turn t cross join ${LANE_SHARES}
        left join under_way on under_way.owner = t.owner and under_way.lane = lane.lane
        where t.owner = any($4) and ${TURN_DUE} <= $1 and ($5::jsonb ->> lane.lane)::int > 0
      ), candidate as (
        select room.lane, room.due, found.delivery_id,
          row_number() over (partition by room.owner, room.lane order by found.due_at, found.delivery_id) as nth
        from room cross join lateral (
          select d.delivery_id, d.due_at
          from offchain.webhook w cross join lateral (
            select delivery_id, due_at from offchain.webhook_delivery
            where webhook_id = w.webhook_id and state = 'pending' and due_at <= $1
              and (lease_until is null or lease_until <= $1)
            order by due_at, delivery_id
            limit greatest(0, case when w.failures >= $6 then 1 else room.per_webhook end - (
              select count(*) from offchain.webhook_delivery d
              where d.webhook_id = w.webhook_id and d.lease is not null and d.lease_until > $1)::int)
            for no key update skip locked) d
          where w.owner = room.owner and w.lane = room.lane and w.disabled_at is null
            and (w.paused_until is null or w.paused_until <= $1)
          order by d.due_at, d.delivery_id limit greatest(0, room.free)) found
      ), placed as (
        select delivery_id, lane, row_number() over (partition by lane order by nth, due) as place from candidate
      ), claimed as (
        update offchain.webhook_delivery d set lease = $2, lease_until = $1::timestamptz + $3 * interval '1 millisecond'
        from placed where d.delivery_id = placed.delivery_id and placed.place <= ($5::jsonb ->> placed.lane)::int
        returning d.*
      )
      select c.delivery_id::float8 as "deliveryId", c.lease, c.webhook_id as "webhookId", w.url, w.owner, w.lane,
        c.event_id as "eventId", c.event_type as "eventType", c.position::float8 as position, c.final,
        c.created_at as "createdAt", c.attempts
      from claimed c join offchain.webhook w using (webhook_id) order by c.due_at, c.delivery_id`,
    values: [now, lease, leaseMs, owners, JSON.stringify(places), failuresBeforeTrial],
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

/**
 * Writes down what came of an attempt, and gives the owner a turn, for a place is free.
 * @param result.slowUntil until when the owner has fewer places, after a slow attempt
 * @returns false when another worker has the delivery by now, or it was deleted
 */
export async function settleDelivery(
  tx: Queryable,
  { deliveryId, lease }: Pick<ClaimedDelivery, "deliveryId" | "lease">,
  attempt: Attempt,
  result: { state: DeliveryState; dueAt?: Date; slowUntil?: Date | null },
): Promise<boolean> {
  const { at, outcome, durationMs } = attempt;
  const line: LoggedAttempt = {
    at: at.toISOString(),
    status: outcome.kind === "answered" ? outcome.status : null,
    error: outcome.kind === "answered" ? null : outcome.reason,
    durationMs,
  };
  const { rows } = await tx.query({
    name: "webhook-settle",
    text: `
      with settled as (
      update offchain.webhook_delivery set state = $3, due_at = coalesce($4, due_at), attempts = attempts + 1,
        lease = null, lease_until = null, settled_at = case when $3 = 'pending' then null else $5::timestamptz end,
        log = case when jsonb_array_length(log) >= ${ATTEMPTS_KEPT} then log - 0 else log end || $6::jsonb
      where delivery_id = $1 and lease = $2 returning webhook_id
      ), turn as (${turnsFor("select webhook_id from settled", "$5", "$7")})
      select from settled`,
    values: [
      deliveryId,
      lease,
      result.state,
      result.dueAt ?? null,
      at,
      JSON.stringify([line]),
      result.slowUntil ?? null,
    ],
  });
  return rows.length === 1;
}

/** Gives a claim back without an attempt; it is due again at `dueAt`. */
export async function postponeDelivery(
  db: Queryable,
  { deliveryId, lease }: Pick<ClaimedDelivery, "deliveryId" | "lease">,
  { dueAt, now }: { dueAt: Date; now: Date },
): Promise<void> {
  await db.query({
    name: "webhook-postpone",
    text: `
      with postponed as (
        update offchain.webhook_delivery set due_at = $3, lease = null, lease_until = null
        where delivery_id = $1 and lease = $2 returning webhook_id
      )
      ${turnsFor("select webhook_id from postponed", "$4")}`,
    values: [deliveryId, lease, dueAt, now],
  });
}

/** Settled deliveries of one webhook that its log keeps, the newest. */
export const LOG_SIZE = 2_000;
/** Webhooks whose logs one statement shortens. */
const SHORTEN_SIZE = 200;

/** Keeps the newest settled deliveries of each webhook, so that none fills the table. @returns how many went */
export async function shortenLogs(db: Queryable): Promise<number> {
  let deleted = 0;
  for (let after = ""; ; ) {
    const { rows } = await db.query<{ last: string | null; webhooks: number; deleted: number }>(
      `with part as (
         select webhook_id from offchain.webhook where webhook_id > $1 order by webhook_id limit ${SHORTEN_SIZE}
       ), old as (
         select d.delivery_id from part cross join lateral (
           select delivery_id from offchain.webhook_delivery d
           where d.webhook_id = part.webhook_id and d.state <> 'pending'
           order by d.delivery_id desc offset ${LOG_SIZE} limit ${FORGET_SIZE}) d
       ), gone as (
         delete from offchain.webhook_delivery where delivery_id in (select delivery_id from old) and state <> 'pending'
         returning delivery_id
       )
       select max(webhook_id) as last, count(*)::int as webhooks, (select count(*)::int from gone) as deleted from part`,
      [after],
    );
    const [{ last, webhooks, deleted: gone }] = rows as [(typeof rows)[0]];
    deleted += gone;
    if (webhooks < SHORTEN_SIZE || last === null) return deleted;
    after = last;
  }
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
