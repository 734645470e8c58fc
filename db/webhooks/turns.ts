/**
 * Turns of webhooks' owners: who has something to send, and since when it waits. Whatever makes a delivery due, or frees
 * a place, gives the owner a turn in the same transaction; a claim takes the turns and sets the next ones.
 */
import type { Address } from "../../core/facts.ts";
import { LANES, type Lane, SHARES } from "../../core/webhooks/lanes.ts";
import type { Queryable } from "../transaction.ts";

/**
 * SQL that gives the owners of some webhooks a turn. It comes after the rows that the turn is for, in the same
 * statement or a later one of the transaction; locks are taken in the order webhook, delivery, turn.
 * @param webhooks a query with a column webhook_id @param at parameter: when the turn is
 * @param slowUntil parameter: until when the owners have fewer places, or null
 */
export const turnsFor = (webhooks: string, at: string, slowUntil = "null") => `
  insert into offchain.webhook_turn as t (owner, due_new, due_answering, due_slow, slow_until)
  select distinct w.owner, ${at}::timestamptz, ${at}::timestamptz, ${at}::timestamptz, ${slowUntil}::timestamptz
  from (${webhooks}) changed join offchain.webhook w using (webhook_id) order by w.owner
  on conflict (owner) do update set due_new = least(t.due_new, excluded.due_new),
    due_answering = least(t.due_answering, excluded.due_answering), due_slow = least(t.due_slow, excluded.due_slow),
    slow_until = greatest(t.slow_until, excluded.slow_until)`;

/** Gives the owners of webhooks a turn now. */
export async function giveTurns(tx: Queryable, webhookIds: readonly string[], now: Date): Promise<void> {
  if (webhookIds.length === 0) return;
  await tx.query({
    name: "webhook-turns-give",
    text: turnsFor("select unnest($1::text[]) as webhook_id", "$2"),
    values: [webhookIds, now],
  });
}

/** Gives a turn to every owner with something to send. Finds what a process of an older version has made. */
export async function giveMissedTurns(db: Queryable, now: Date): Promise<void> {
  await db.query(
    turnsFor(
      `select webhook_id from offchain.webhook w where disabled_at is null and exists (
         select from offchain.webhook_delivery d where d.webhook_id = w.webhook_id and d.state = 'pending')`,
      "$1",
    ),
    [now],
  );
}

/** Forgets owners without webhooks. */
export async function forgetTurns(db: Queryable, now: Date): Promise<void> {
  await db.query(
    `delete from offchain.webhook_turn t where (slow_until is null or slow_until < $1)
       and not exists (select from offchain.webhook w where w.owner = t.owner)`,
    [now],
  );
}

/** Until when an owner counts as slow; null when it does not. */
export async function slowUntilOf(tx: Queryable, owner: Address, now: Date): Promise<Date | null> {
  const { rows } = await tx.query("select slow_until from offchain.webhook_turn where owner = $1 and slow_until > $2", [
    owner,
    now,
  ]);
  return rows[0]?.slow_until ?? null;
}

/** The lanes with their shares, as a table. */
export const LANE_SHARES = `(values ${LANES.map((lane) => {
  const { perOwner, perSlowOwner, perWebhook } = SHARES[lane];
  return `('${lane}', ${perOwner}, ${perSlowOwner}, ${perWebhook})`;
}).join(", ")}) as lane(lane, per_owner, per_slow_owner, per_webhook)`;

const dueOf = (lane: Lane) => `due_${lane}`;
/** When the owner `t` is due in `lane`. */
export const TURN_DUE = `case lane.lane ${LANES.map((lane) => `when '${lane}' then t.${dueOf(lane)}`).join(" ")} end`;
/** What is under way at `$1`, by owner and lane: never more than all processes have places. */
export const UNDER_WAY = `under_way as materialized (
  select w.owner, w.lane, count(*)::int as count, min(d.lease_until) as until
  from offchain.webhook_delivery d join offchain.webhook w using (webhook_id)
  where d.lease is not null and d.lease_until > $1 group by w.owner, w.lane)`;

/**
 * Takes the turns of owners that have waited longest, at most as many of each lane as it has places. Their rows are
 * locked; those that another process has taken are passed over.
 */
export async function takeTurns(tx: Queryable, now: Date, places: Record<Lane, number>): Promise<Address[]> {
  const { rows } = await tx.query<{ owner: Address }>({
    name: "webhook-turns-take",
    text: `
      with ${LANES.map(
        (lane, i) => `
      of_${lane} as (select owner from offchain.webhook_turn where ${dueOf(lane)} <= $1 order by ${dueOf(lane)}
        limit $${i + 2} for no key update skip locked)`,
      ).join(",")}
      ${LANES.map((lane) => `select owner from of_${lane}`).join(" union ")}`,
    values: [now, ...LANES.map((lane) => places[lane])],
  });
  return rows.map(({ owner }) => owner);
}

/**
 * Sets the next turns of owners whose turns were taken. Who has more to send goes to the end of the line; who has no
 * free place waits for one, at the latest until its claims end.
 * @param served the owners and lanes that were given a place
 * @param failuresBeforeTrial as for claims
 */
export async function setNextTurns(
  tx: Queryable,
  owners: readonly Address[],
  served: readonly { owner: Address; lane: Lane }[],
  { now, failuresBeforeTrial }: { now: Date; failuresBeforeTrial: number },
): Promise<void> {
  await tx.query({
    name: "webhook-turns-next",
    text: `
      with ${UNDER_WAY}, next as (
        select t.owner, lane.lane, case
            when under_way.count >= case when t.slow_until > $1 then lane.per_slow_owner else lane.per_owner end
              then greatest(found.due, under_way.until)
            when found.due > $1 then found.due
            when found.due is null then null
            when (t.owner, lane.lane) in (select * from unnest($2::text[], $3::text[])) then $1
            else ${TURN_DUE} end as due
        from offchain.webhook_turn t cross join ${LANE_SHARES}
        left join under_way on under_way.owner = t.owner and under_way.lane = lane.lane
        cross join lateral (
          select min(greatest(case
              when leased.count >= case when w.failures >= $5 then 1 else lane.per_webhook end then leased.until
              else least(leased.until, first.due_at) end, w.paused_until))
            filter (where first.due_at is not null or leased.until is not null) as due
          from offchain.webhook w
          cross join lateral (
            select count(*) as count, min(lease_until) as until from offchain.webhook_delivery d
            where d.webhook_id = w.webhook_id and d.lease is not null and d.lease_until > $1) leased
          left join lateral (
            select d.due_at from offchain.webhook_delivery d
            where d.webhook_id = w.webhook_id and d.state = 'pending' and (d.lease_until is null or d.lease_until <= $1)
            order by d.due_at, d.delivery_id limit 1) first on true
          where w.owner = t.owner and w.lane = lane.lane and w.disabled_at is null) found
        where t.owner = any($4) and ${TURN_DUE} <= $1
      ), turn as (
        select owner, ${LANES.map((lane) => `bool_or(lane = '${lane}') as in_${lane}, min(due) filter (where lane = '${lane}') as ${lane}`).join(", ")}
        from next group by owner
      )
      update offchain.webhook_turn t
      set ${LANES.map((lane) => `${dueOf(lane)} = case when in_${lane} then turn.${lane} else t.${dueOf(lane)} end`).join(", ")}
      from turn where turn.owner = t.owner`,
    values: [now, served.map(({ owner }) => owner), served.map(({ lane }) => lane), owners, failuresBeforeTrial],
  });
}
