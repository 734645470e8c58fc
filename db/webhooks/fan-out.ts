/** From the event log to deliveries: each event is handed to every webhook that wants it, once, in the commit that moves the place in the log. */
import type pg from "pg";
import { filterOf, type LoggedEvent } from "../../core/events.ts";
import { FINALITIES, type Finality, filterOfWishes, type Wishes } from "../../core/webhooks/webhook.ts";
import { eventLog, eventsAfter, type LogPart } from "../events.ts";
import type { Queryable } from "../transaction.ts";
import { WEBHOOK } from "./webhooks.ts";

/** Places of the log that one call hands out at most, and deliveries that may come of them: a transaction is to be short. */
const SPAN = 1_000;
const MOST_DELIVERIES = 20_000;
/** A webhook with so many deliveries waiting gets no more for now: what it misses stays in the log, and costs nothing. */
const MOST_WAITING = 1_000;
/** It catches up when there is room for as many again. */
const ROOM_TO_CATCH_UP = 500;
/** Webhooks that one call brings forward. */
const CATCH_UP_SIZE = 50;

export type FannedOut = {
  deliveries: number;
  /** Whether there is more to hand out at once. */
  more: boolean;
};

/**
 * Hands out the next stretch of the log, and brings webhooks forward that lag behind. One transaction at a time does so.
 * @param now when the deliveries are due
 */
export async function fanOut(tx: pg.ClientBase, now: Date): Promise<FannedOut> {
  const { rows } = await tx.query<{ position: number }>({
    name: "webhook-cursor-lock",
    text: "select position::float8 as position from offchain.webhook_cursor for update skip locked",
  });
  const [cursor] = rows;
  if (!cursor) return { deliveries: 0, more: false };
  const { head } = await eventLog(tx);
  const after = cursor.position;
  const webhooks = head > after ? await candidates(tx) : [];
  const span = Math.max(1, Math.min(SPAN, Math.floor(MOST_DELIVERIES / Math.max(1, webhooks.length))));
  const through = Math.min(head, after + span);
  const made = through > after ? await handOut(tx, webhooks, { after, through, now }) : 0;
  const caughtUp = await catchUp(tx, through, now);
  return { deliveries: made + caughtUp.deliveries, more: through < head || caughtUp.more };
}

type Candidate = Wishes & { webhookId: string; fromPosition: number };
type Made = { webhookId: string; event: LoggedEvent };

/** The webhooks that are on and keep up with the log. */
async function candidates(tx: Queryable): Promise<Candidate[]> {
  const { rows } = await tx.query<Candidate>({
    name: "webhook-candidates",
    text: `
      select ${WEBHOOK}, w.from_position::float8 as "fromPosition" from offchain.webhook w
      where w.disabled_at is null and w.behind_at is null`,
  });
  return rows;
}

/** A stretch of the log to the webhooks that keep up with it. @returns how many deliveries were made */
async function handOut(
  tx: Queryable,
  webhooks: readonly Candidate[],
  { after, through, now }: { after: number; through: number; now: Date },
): Promise<number> {
  const made: Made[] = [];
  for (const finality of FINALITIES) {
    const takers = webhooks.filter((webhook) => webhook.finality === finality);
    if (takers.length === 0) continue;
    const { events } = await eventsOf(tx, finality, { after, head: through, limit: SPAN });
    for (const { webhookId, fromPosition, ...webhook } of takers) {
      const wanted = filterOf(filterOfWishes(webhook));
      for (const event of events) if (event.position > fromPosition && wanted(event)) made.push({ webhookId, event });
    }
  }
  await insertDeliveries(tx, made, now);
  await tx.query({
    name: "webhook-cursor-move",
    text: "update offchain.webhook_cursor set position = $1",
    values: [through],
  });
  await holdBack(tx, [...new Set(made.map(({ webhookId }) => webhookId))], through);
  return made.length;
}

/** Leaves webhooks behind that have too much waiting. */
async function holdBack(tx: Queryable, webhookIds: readonly string[], at: number): Promise<void> {
  if (webhookIds.length === 0) return;
  await tx.query({
    name: "webhook-hold-back",
    text: `
      update offchain.webhook w set behind_at = $2
      where w.webhook_id = any($1) and w.behind_at is null and (
        select count(*) from (
          select from offchain.webhook_delivery d
          where d.webhook_id = w.webhook_id and d.state = 'pending' limit ${MOST_WAITING}) waiting) >= ${MOST_WAITING}`,
    values: [webhookIds, at],
  });
}

/** Brings webhooks forward that are on again, or have room again. @param through where the others are */
async function catchUp(tx: Queryable, through: number, now: Date): Promise<FannedOut> {
  const { rows: behind } = await tx.query<Candidate & { behindAt: number }>({
    name: "webhook-behind",
    text: `
      select ${WEBHOOK}, w.from_position::float8 as "fromPosition", w.behind_at::float8 as "behindAt"
      from offchain.webhook w
      where w.behind_at is not null and w.disabled_at is null and (
        select count(*) from (
          select from offchain.webhook_delivery d where d.webhook_id = w.webhook_id and d.state = 'pending'
          limit ${MOST_WAITING}) waiting) <= ${MOST_WAITING - ROOM_TO_CATCH_UP}
      order by w.webhook_id limit ${CATCH_UP_SIZE} for no key update skip locked`,
  });
  const made: Made[] = [];
  let more = false;
  for (const { webhookId, behindAt, fromPosition, finality, ...webhook } of behind) {
    const after = Math.max(behindAt, fromPosition);
    const part = { after, head: through, limit: ROOM_TO_CATCH_UP, filter: filterOfWishes(webhook) };
    const read = await eventsOf(tx, finality, part);
    for (const event of read.events) made.push({ webhookId, event });
    const arrived = read.through >= through;
    await tx.query({
      name: "webhook-caught-up",
      text: "update offchain.webhook set behind_at = $2 where webhook_id = $1",
      values: [webhookId, arrived ? null : read.through],
    });
    more ||= !arrived;
  }
  await insertDeliveries(tx, made, now);
  return { deliveries: made.length, more };
}

/** Who is told only what is final was never told what is taken back. */
async function eventsOf(db: Queryable, finality: Finality, part: LogPart) {
  const { events, through } = await eventsAfter(db, { ...part, final: finality === "final" });
  return {
    events: finality === "final" ? events.filter(({ type }) => type !== "event.retracted") : events,
    through: Math.max(through, part.after),
  };
}

/** A delivery that is there already stays as it is: a webhook is told of an event once. */
async function insertDeliveries(tx: Queryable, made: readonly Made[], now: Date): Promise<void> {
  if (made.length === 0) return;
  await tx.query({
    name: "webhook-deliveries-insert",
    text: `
      insert into offchain.webhook_delivery
        (webhook_id, event_id, event_type, position, final, due_at, created_at)
      select w.webhook_id, event_id, event_type, position, final, $6, $6
      from unnest($1::text[], $2::text[], $3::text[], $4::int8[], $5::bool[])
        as made(webhook_id, event_id, event_type, position, final)
      join offchain.webhook w on w.webhook_id = made.webhook_id
      order by position, made.webhook_id for key share of w
      on conflict (webhook_id, event_id) do nothing`,
    values: [
      made.map(({ webhookId }) => webhookId),
      made.map(({ event }) => event.id),
      made.map(({ event }) => event.type),
      made.map(({ event }) => event.position),
      made.map(({ event }) => event.final),
      now,
    ],
  });
}
