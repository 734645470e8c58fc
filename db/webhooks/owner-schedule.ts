/**
 * The fair schedule of webhook owners (`offchain.webhook_turn`): when each owner is due next, by pool. A transaction that
 * makes a delivery due, or frees a slot, schedules the owner; a claim takes the due owners and reschedules them.
 */
import type { Address } from "../../core/agents/facts.ts";
import { type DeliveryPool, POOL_LIMITS, POOLS } from "../../core/webhooks/pools.ts";
import { statement, t } from "../sql/statement.ts";

/**
 * SQL that schedules the owners of some webhooks. It runs after the rows that make the owners due, in the same statement
 * or a later one of the transaction; locks are taken in the order webhook, delivery, schedule.
 * @param webhooks a query with a column webhook_id @param at parameter: when the owners are due
 * @param slowUntil parameter: end of the time in which the owners have fewer slots, or null
 */
export const scheduleSql = (webhooks: string, at: string, slowUntil = "null") => `
  insert into offchain.webhook_turn as t (owner, due_new, due_answering, due_slow, slow_until)
  select distinct w.owner, ${at}::timestamptz, ${at}::timestamptz, ${at}::timestamptz, ${slowUntil}::timestamptz
  from (${webhooks}) changed join offchain.webhook w using (webhook_id) order by w.owner
  on conflict (owner) do update set due_new = least(t.due_new, excluded.due_new),
    due_answering = least(t.due_answering, excluded.due_answering), due_slow = least(t.due_slow, excluded.due_slow),
    slow_until = greatest(t.slow_until, excluded.slow_until)`;

/** Makes the owners of webhooks due now. */
export const scheduleOwners = statement({
  name: "webhook-schedule",
  params: { webhookIds: t.array(t.text), now: t.timestamptz },
  unlessEmpty: "webhookIds",
  text: scheduleSql("select unnest($webhookIds::text[]) as webhook_id", "$now"),
  prepared: true,
}).run;

/** Deletes the schedule of owners without webhooks; not one that a new webhook has made due meanwhile. */
export const deleteIdleOwners = statement({
  name: "webhook-schedule-delete-idle",
  params: { now: t.timestamptz },
  text: `
    delete from offchain.webhook_turn t where (slow_until is null or slow_until < $now)
      and least(due_new, due_answering, due_slow) is null
      and not exists (select from offchain.webhook w where w.owner = t.owner)`,
}).run;

/** End of the time in which an owner counts as slow; null when it does not. */
export const slowUntilOf = statement({
  name: "webhook-slow-until",
  params: { owner: t.narrow<Address>(t.text), now: t.timestamptz },
  text: "select slow_until from offchain.webhook_turn where owner = $owner and slow_until > $now",
  columns: { slow_until: t.filtered(t.timestamptz) },
}).value;

/** The pools with their limits, as a table. */
export const POOL_LIMITS_TABLE = `(values ${POOLS.map((pool) => {
  const { perOwner, perSlowOwner, perWebhook } = POOL_LIMITS[pool];
  return `('${pool}', ${perOwner}, ${perSlowOwner}, ${perWebhook})`;
}).join(", ")}) as pool(pool, per_owner, per_slow_owner, per_webhook)`;

const dueOf = (pool: DeliveryPool) => `due_${pool}`;
/** SQL of the time at which the owner `t` is due in `pool`. */
export const DUE = `case pool.pool ${POOLS.map((pool) => `when '${pool}' then t.${dueOf(pool)}`).join(" ")} end`;
/** Number of claimed deliveries at `$now`, by owner and pool: never more rows than all processes have slots. */
export const IN_PROGRESS = `in_progress as materialized (
  select w.owner, w.lane as pool, count(*)::int as count, min(d.lease_until) as until
  from offchain.webhook_delivery d join offchain.webhook w using (webhook_id)
  where d.lease is not null and d.lease_until > $now group by w.owner, w.lane)`;

/** The milliseconds until an owner is due; null while none is. */
export const msUntilDue = statement({
  name: "webhook-next-due",
  params: { now: t.timestamptz },
  text: `
    select (extract(epoch from least(${POOLS.map((pool) => `(select min(${dueOf(pool)}) from offchain.webhook_turn)`).join(", ")})
      - $now::timestamptz) * 1000)::float8 as ms`,
  columns: { ms: t.nullable(t.float8) },
  prepared: true,
}).onlyValue;

/**
 * Locks the due owners that have waited longest, at most as many of each pool as it has slots. Owners that another
 * process has locked are skipped.
 */
export const takeDueOwners = statement({
  name: "webhook-schedule-take",
  given: (now: Date, slots: Record<DeliveryPool, number>) => ({ now, ...slots }),
  params: { now: t.timestamptz, answering: t.int8, new: t.int8, slow: t.int8 } satisfies Record<
    DeliveryPool | "now",
    unknown
  >,
  text: `
      with ${POOLS.map(
        (pool) => `
      of_${pool} as (select owner from offchain.webhook_turn where ${dueOf(pool)} <= $now order by ${dueOf(pool)}
        limit $${pool} for no key update skip locked)`,
      ).join(",")}
      ${POOLS.map((pool) => `select owner from of_${pool}`).join(" union ")}`,
  columns: { owner: t.narrow<Address>(t.text) },
  prepared: true,
}).values;

/**
 * Sets when the locked owners are due next. An owner with more to send goes to the end of the queue; an owner without a
 * free slot waits for one, at the latest until its claims end.
 * @param served owner and pool of each claimed delivery
 * @param failuresBeforeTrial as for claims
 */
export const rescheduleOwners = statement({
  name: "webhook-schedule-next",
  params: {
    now: t.timestamptz,
    served: t.records({ owner: t.text, pool: t.text }),
    owners: t.array(t.text),
    failuresBeforeTrial: t.int4,
  },
  text: `
      with ${IN_PROGRESS}, next as (
        select t.owner, pool.pool, case
            when in_progress.count >= case when t.slow_until > $now then pool.per_slow_owner else pool.per_owner end
              then greatest(found.due, in_progress.until)
            when found.due > $now then found.due
            when found.due is null then null
            when (t.owner, pool.pool) in (select * from $served) then $now
            else ${DUE} end as due
        from offchain.webhook_turn t cross join ${POOL_LIMITS_TABLE}
        left join in_progress on in_progress.owner = t.owner and in_progress.pool = pool.pool
        cross join lateral (
          select min(greatest(case
              when leased.count >= case when w.failures >= $failuresBeforeTrial then 1 else pool.per_webhook end then leased.until
              else least(leased.until, first.due_at) end, w.paused_until))
            filter (where first.due_at is not null or leased.until is not null) as due
          from offchain.webhook w
          cross join lateral (
            select count(*) as count, min(lease_until) as until from offchain.webhook_delivery d
            where d.webhook_id = w.webhook_id and d.lease is not null and d.lease_until > $now) leased
          left join lateral (
            select d.due_at from offchain.webhook_delivery d
            where d.webhook_id = w.webhook_id and d.state = 'pending' and (d.lease_until is null or d.lease_until <= $now)
            order by d.due_at, d.delivery_id limit 1) first on true
          where w.owner = t.owner and w.lane = pool.pool and w.disabled_at is null) found
        where t.owner = any($owners) and ${DUE} <= $now
      ), next_of_owner as (
        select owner, ${POOLS.map((pool) => `bool_or(pool = '${pool}') as in_${pool}, min(due) filter (where pool = '${pool}') as ${pool}`).join(", ")}
        from next group by owner
      )
      update offchain.webhook_turn t
      set ${POOLS.map((pool) => `${dueOf(pool)} = case when in_${pool} then next_of_owner.${pool} else t.${dueOf(pool)} end`).join(", ")}
      from next_of_owner where next_of_owner.owner = t.owner`,
  prepared: true,
}).run;
