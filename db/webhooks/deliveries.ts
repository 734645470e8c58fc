/** Deliveries in progress: claimed under a lease by one worker, then settled by the outcome of the attempt. */
import type pg from "pg";
import type { Address } from "../../core/agents/facts.ts";
import type { AttemptOutcome } from "../../core/webhooks/attempts.ts";
import type { DeliveryPool } from "../../core/webhooks/pools.ts";
import type { DeliveryState, LoggedAttempt } from "../../core/webhooks/webhook.ts";
import { webhookDelivery } from "../schema/webhooks.ts";
import { statement, t } from "../sql/statement.ts";
import { columnsOf } from "../sql/table-columns.ts";
import { type Queryable, transaction } from "../sql/transaction.ts";
import { DUE, IN_PROGRESS, POOL_LIMITS_TABLE, rescheduleOwners, scheduleSql, takeDueOwners } from "./owner-schedule.ts";

const CLAIMED = {
  ...columnsOf(webhookDelivery, { without: ["state", "dueAt", "settledAt", "log", "leaseUntil"] }),
  /** Needed to settle it; invalid after another worker has claimed it. */
  lease: t.filtered(t.text),
  url: t.text,
  owner: t.narrow<Address>(t.text),
  /** The pool whose slot it occupies. */
  pool: t.narrow<DeliveryPool>(t.text),
};
export type ClaimedDelivery = t.RowOf<typeof CLAIMED>;

export type ClaimOptions = {
  now: Date;
  lease: string;
  /** Milliseconds until the claim ends: more than an attempt can take. */
  leaseMs: number;
  slots: Record<DeliveryPool, number>;
  /** A webhook with this number of consecutive failed attempts gets one delivery at a time. */
  failuresBeforeTrial: number;
};

/**
 * Claims due deliveries, owner by owner: the owner that has waited longest is first, and each gets its share. The claims
 * of a killed worker are due again when its lease ends.
 * Check then write: due, with free places, then lease and next turn; a delivery may become due: turns are locked, and
 * the transaction that makes a delivery due gives a turn after its rows.
 */
export async function claimDeliveries(db: pg.Pool, options: ClaimOptions): Promise<ClaimedDelivery[]> {
  return transaction(db, async (tx) => {
    const owners = await takeDueOwners(tx, options.now, options.slots);
    if (owners.length === 0) return [];
    // The next statement sees every delivery that became due before the owners were locked; a later one schedules its owner.
    const claimed = await CLAIM.rows(tx, { ...options, owners });
    await rescheduleOwners(tx, { owners, served: claimed, ...options });
    return claimed;
  });
}

const CLAIM = statement({
  name: "webhook-claim",
  params: {
    now: t.timestamptz,
    lease: t.text,
    leaseMs: t.float8,
    owners: t.array(t.text),
    slots: t.jsonb<Record<DeliveryPool, number>>(),
    failuresBeforeTrial: t.int4,
  },
  text: `
      with ${IN_PROGRESS}, room as (
        select t.owner, pool.*, ${DUE} as due,
          case when t.slow_until > $now then pool.per_slow_owner else pool.per_owner end - coalesce(in_progress.count, 0) as free
        from offchain.webhook_turn t cross join ${POOL_LIMITS_TABLE}
        left join in_progress on in_progress.owner = t.owner and in_progress.pool = pool.pool
        where t.owner = any($owners) and ${DUE} <= $now and ($slots::jsonb ->> pool.pool)::int > 0
      ), candidate as (
        select room.pool, room.due, found.delivery_id,
          row_number() over (partition by room.owner, room.pool order by found.due_at, found.delivery_id) as nth
        from room cross join lateral (
          select d.delivery_id, d.due_at
          from offchain.webhook w cross join lateral (
            select delivery_id, due_at from offchain.webhook_delivery
            where webhook_id = w.webhook_id and state = 'pending' and due_at <= $now
              and (lease_until is null or lease_until <= $now)
            order by due_at, delivery_id
            limit greatest(0, case when w.failures >= $failuresBeforeTrial then 1 else room.per_webhook end - (
              select count(*) from offchain.webhook_delivery d
              where d.webhook_id = w.webhook_id and d.lease is not null and d.lease_until > $now)::int)
            for no key update skip locked) d
          where w.owner = room.owner and w.lane = room.pool and w.disabled_at is null
            and (w.paused_until is null or w.paused_until <= $now)
          order by d.due_at, d.delivery_id limit greatest(0, room.free)) found
      ), placed as (
        select delivery_id, pool, row_number() over (partition by pool order by nth, due) as place from candidate
      ), claimed as (
        update offchain.webhook_delivery d set lease = $lease, lease_until = $now::timestamptz + $leaseMs * interval '1 millisecond'
        from placed where d.delivery_id = placed.delivery_id and placed.place <= ($slots::jsonb ->> placed.pool)::int
        returning d.*
      )
      select ${t.fieldsOf(CLAIMED, { of: "c", as: { url: "w.url", owner: "w.owner", pool: "w.lane" } })}
      from claimed c join offchain.webhook w using (webhook_id) order by c.due_at, c.delivery_id`,
  columns: CLAIMED,
  prepared: true,
});

/** An attempt as it is logged. Of the receiver's answer only the status is stored. */
export type AttemptRecord = {
  at: Date;
  outcome: AttemptOutcome;
  durationMs: number;
};

/** Max logged attempts per delivery, the latest; replays add to them. */
const ATTEMPTS_KEPT = 20;

/**
 * Logs the outcome of an attempt and schedules the owner, because a slot is free.
 * @param result.slowUntil end of the time in which the owner has fewer slots, after a slow attempt
 * @returns false when another worker has claimed the delivery, or it was deleted
 */
export async function settleDelivery(
  tx: Queryable,
  { deliveryId, lease }: Pick<ClaimedDelivery, "deliveryId" | "lease">,
  attempt: AttemptRecord,
  result: { state: DeliveryState; dueAt?: Date; slowUntil?: Date | null },
): Promise<boolean> {
  const { at, outcome, durationMs } = attempt;
  const line: LoggedAttempt = {
    at: at.toISOString(),
    status: outcome.kind === "answered" ? outcome.status : null,
    error: outcome.kind === "answered" ? null : outcome.reason,
    durationMs,
  };
  const settled = await SETTLE.run(tx, {
    deliveryId,
    lease,
    state: result.state,
    dueAt: result.dueAt ?? null,
    at,
    log: [line],
    slowUntil: result.slowUntil ?? null,
  });
  return settled === 1;
}

const SETTLE = statement({
  name: "webhook-settle",
  params: {
    deliveryId: t.int8,
    lease: t.text,
    state: t.text,
    dueAt: t.nullable(t.timestamptz),
    at: t.timestamptz,
    log: t.jsonb<LoggedAttempt[]>(),
    slowUntil: t.nullable(t.timestamptz),
  },
  text: `
    with settled as (
    update offchain.webhook_delivery set state = $state, due_at = coalesce($dueAt, due_at), attempts = attempts + 1,
      lease = null, lease_until = null, settled_at = case when $state = 'pending' then null else $at::timestamptz end,
      log = case when jsonb_array_length(log) >= ${ATTEMPTS_KEPT} then log - 0 else log end || $log::jsonb
    where delivery_id = $deliveryId and lease = $lease returning webhook_id
    ), scheduled as (${scheduleSql("select webhook_id from settled", "$at", "$slowUntil")})
    select from settled`,
  prepared: true,
});

/** Releases a claim without an attempt; the delivery is due again at `dueAt`. */
export const postponeDelivery = statement({
  name: "webhook-postpone",
  params: { deliveryId: t.int8, lease: t.text, dueAt: t.timestamptz, now: t.timestamptz },
  text: `
    with postponed as (
      update offchain.webhook_delivery set due_at = $dueAt, lease = null, lease_until = null
      where delivery_id = $deliveryId and lease = $lease returning webhook_id
    )
    ${scheduleSql("select webhook_id from postponed", "$now")}`,
  prepared: true,
}).run;

/** Max settled deliveries in the log of one webhook, the newest. */
export const LOG_SIZE = 2_000;
/** Number of webhooks whose logs one statement trims. */
const TRIM_SIZE = 200;

/** Keeps the newest settled deliveries of each webhook, so that none fills the table. @returns number of deleted ones */
export async function trimLogs(db: Queryable): Promise<number> {
  let deleted = 0;
  for (let after = ""; ; ) {
    const { last, webhooks, deleted: gone } = await TRIM.one(db, { after });
    deleted += gone;
    if (webhooks < TRIM_SIZE || last === null) return deleted;
    after = last;
  }
}

/**
 * Deletes deliveries that were settled, or created and never sent, before a time.
 * Resumes: at the oldest rows, 2,000 at once; a part that fails is tried by the next run.
 * @returns number of deleted ones
 */
export async function deleteOldDeliveries(db: Queryable, before: Date): Promise<number> {
  let deleted = 0;
  for (;;) {
    const count = await DELETE_OLD.run(db, { before });
    deleted += count;
    if (count < DELETE_SIZE) return deleted;
  }
}

/** Max deliveries that one statement deletes. */
const DELETE_SIZE = 2_000;

const TRIM = statement({
  name: "webhook-trim-logs",
  params: { after: t.text },
  text: `
      with part as (
         select webhook_id from offchain.webhook where webhook_id > $after order by webhook_id limit ${TRIM_SIZE}
       ), old as (
         select d.delivery_id from part cross join lateral (
           select delivery_id from offchain.webhook_delivery d
           where d.webhook_id = part.webhook_id and d.state <> 'pending'
           order by d.delivery_id desc offset ${LOG_SIZE} limit ${DELETE_SIZE}) d
       ), deleted as (
         delete from offchain.webhook_delivery where delivery_id in (select delivery_id from old) and state <> 'pending'
         returning delivery_id
       )
       select max(webhook_id) as last, count(*)::int as webhooks, (select count(*)::int from deleted) as deleted from part`,
  columns: { last: t.nullable(t.text), webhooks: t.int4, deleted: t.int4 },
});

const DELETE_OLD = statement({
  name: "webhook-delete-old",
  params: { before: t.timestamptz },
  text: `
    delete from offchain.webhook_delivery where delivery_id in (
      select delivery_id from offchain.webhook_delivery where created_at < $before
        and coalesce(settled_at, created_at) < $before and lease is null
      order by created_at limit ${DELETE_SIZE} for update skip locked)`,
});
