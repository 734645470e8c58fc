/** From the event log to deliveries: each event is handed to every webhook that wants it, once, in the commit that moves the place in the log and among the webhooks. */
import type pg from "pg";
import { filterOf, type LoggedEvent } from "../../core/events.ts";
import { FINALITIES, type Finality, filterOfWishes, type Wishes } from "../../core/webhooks/webhook.ts";
import { eventLog, eventsAfter, type LogPart } from "../events.ts";
import type { Queryable } from "../transaction.ts";
import { giveTurns } from "./turns.ts";
import { WEBHOOK } from "./webhooks.ts";

/** Places of the log that are handed out as one part. */
const PART = 500;
/** Webhooks that one call gives a part to at most, and deliveries after which it ends: a transaction is to be short. */
const PAGE = 1_000;
const MOST_DELIVERIES = 2_000;
/** A webhook with so many deliveries waiting gets no more for now: what it misses stays in the log, and costs nothing. */
export const MOST_WAITING = 1_000;
/** It catches up when there is room for as many again. */
const ROOM_TO_CATCH_UP = 500;
/** Webhooks that lag behind which one call looks at; the next call goes on with the next ones. */
const CATCH_UP_PAGE = 200;

export type FannedOut = {
  deliveries: number;
  /** Whether there is more to hand out at once. */
  more: boolean;
};

type Cursor = { position: number; through: number | null; handedTo: string | null; caughtUpTo: string | null };

/**
 * Hands out a part of the log to the next webhooks, and brings webhooks forward that lag behind. One transaction at a
 * time does so; the place (part and webhook) moves in it, so that a crash repeats and leaves out nothing.
 * @param now when the deliveries are due
 */
export async function fanOut(tx: pg.ClientBase, now: Date): Promise<FannedOut> {
  const { rows } = await tx.query<Cursor>({
    name: "webhook-cursor-lock",
    text: `
      select position::float8 as position, through::float8 as through, handed_to as "handedTo", caught_up_to as "caughtUpTo"
      from offchain.webhook_cursor for update skip locked`,
  });
  const [cursor] = rows;
  if (!cursor) return { deliveries: 0, more: false };
  const { head } = await eventLog(tx);
  const place = { ...cursor, through: cursor.through ?? Math.min(head, cursor.position + PART) };
  const handed = place.through > place.position ? await handOut(tx, place, now) : { made: [], handedTo: null };
  const next: Cursor =
    handed.handedTo === null
      ? { ...cursor, position: place.through, through: null, handedTo: null }
      : { ...place, handedTo: handed.handedTo };
  const caughtUp = await catchUp(tx, next, now);
  await tx.query({
    name: "webhook-cursor-move",
    text: "update offchain.webhook_cursor set position = $1, through = $2, handed_to = $3, caught_up_to = $4",
    values: [next.position, next.through, next.handedTo, caughtUp.upTo],
  });
  const made = [...handed.made, ...caughtUp.made];
  // Last of all: turns are locked after webhooks and deliveries.
  await giveTurns(tx, [...new Set(made.map(({ webhookId }) => webhookId))], now);
  return {
    deliveries: made.length,
    more: next.through !== null || next.position < head || caughtUp.more,
  };
}

type Candidate = Wishes & { webhookId: string; fromPosition: number };
type Made = { webhookId: string; event: LoggedEvent };

/** The next webhooks that are on and keep up with the log. */
async function candidates(tx: Queryable, after: string | null): Promise<Candidate[]> {
  const { rows } = await tx.query<Candidate>({
    name: "webhook-candidates",
    text: `
      select ${WEBHOOK}, w.from_position::float8 as "fromPosition" from offchain.webhook w
      where w.disabled_at is null and w.own_position is null and w.webhook_id > $1
      order by w.webhook_id limit ${PAGE}`,
    values: [after ?? ""],
  });
  return rows;
}

/**
 * A part of the log to the next webhooks that keep up with it.
 * @returns the webhook up to which all have been given the part; null when every one has
 */
async function handOut(
  tx: Queryable,
  { position: after, through, handedTo }: Cursor & { through: number },
  now: Date,
): Promise<{ made: Made[]; handedTo: string | null }> {
  const webhooks = await candidates(tx, handedTo);
  const events = {} as Record<Finality, LoggedEvent[]>;
  for (const finality of FINALITIES)
    events[finality] = (await eventsOf(tx, finality, { after, head: through, limit: PART })).events;
  const made: Made[] = [];
  let done = 0;
  for (const { webhookId, fromPosition, finality, ...webhook } of webhooks) {
    const wanted = filterOf(filterOfWishes(webhook));
    for (const event of events[finality])
      if (event.position > fromPosition && wanted(event)) made.push({ webhookId, event });
    done++;
    if (made.length >= MOST_DELIVERIES) break;
  }
  await insertDeliveries(tx, made, now);
  await holdBack(tx, [...new Set(made.map(({ webhookId }) => webhookId))], through);
  const all = done === webhooks.length && webhooks.length < PAGE;
  return { made, handedTo: all ? null : webhooks[done - 1]!.webhookId };
}

/** Leaves webhooks behind that have too much waiting. */
async function holdBack(tx: Queryable, webhookIds: readonly string[], at: number): Promise<void> {
  if (webhookIds.length === 0) return;
  await tx.query({
    name: "webhook-hold-back",
    text: `
      update offchain.webhook w set own_position = $2
      where w.webhook_id = any($1) and w.own_position is null and (
        select count(*) from (
          select from offchain.webhook_delivery d
          where d.webhook_id = w.webhook_id and d.state = 'pending' limit ${MOST_WAITING}) waiting) >= ${MOST_WAITING}`,
    values: [webhookIds, at],
  });
}

/**
 * Brings webhooks forward that are on again, or have room again, a page of them with each call.
 * @returns `upTo` the last one looked at; null when the next call begins anew
 */
async function catchUp(
  tx: Queryable,
  { position, through, handedTo, caughtUpTo }: Cursor,
  now: Date,
): Promise<{ made: Made[]; upTo: string | null; more: boolean }> {
  const { rows: behind } = await tx.query<{ webhookId: string; room: boolean }>({
    name: "webhook-behind",
    text: `
      select w.webhook_id as "webhookId", (
        select count(*) from (
          select from offchain.webhook_delivery d where d.webhook_id = w.webhook_id and d.state = 'pending'
          limit ${ROOM_TO_CATCH_UP + 1}) waiting) <= ${MOST_WAITING - ROOM_TO_CATCH_UP} as room
      from offchain.webhook w
      where w.own_position is not null and w.disabled_at is null and w.webhook_id > $1
      order by w.webhook_id limit ${CATCH_UP_PAGE}`,
    values: [caughtUpTo ?? ""],
  });
  const made: Made[] = [];
  let more = false;
  for (const { webhookId, room } of behind) {
    if (!room) continue;
    // Who has been given the part under way goes on behind it, everybody else is still given it.
    const goal = through !== null && handedTo !== null && webhookId <= handedTo ? through : position;
    const step = await stepForward(tx, webhookId, goal);
    made.push(...step.made);
    more ||= !step.arrived;
    if (made.length >= MOST_DELIVERIES) {
      await insertDeliveries(tx, made, now);
      return { made, upTo: webhookId, more: true };
    }
  }
  await insertDeliveries(tx, made, now);
  return { made, upTo: behind.length < CATCH_UP_PAGE ? null : behind.at(-1)!.webhookId, more };
}

/** Reads what a webhook has missed, as much as there is room for, and moves its place. */
async function stepForward(
  tx: Queryable,
  webhookId: string,
  goal: number,
): Promise<{ made: Made[]; arrived: boolean }> {
  const { rows } = await tx.query<Candidate & { ownPosition: number }>({
    name: "webhook-step",
    text: `
      select ${WEBHOOK}, w.from_position::float8 as "fromPosition", w.own_position::float8 as "ownPosition"
      from offchain.webhook w
      where w.webhook_id = $1 and w.own_position is not null and w.disabled_at is null for no key update skip locked`,
    values: [webhookId],
  });
  const [webhook] = rows;
  if (!webhook) return { made: [], arrived: true };
  const { ownPosition, fromPosition, finality, ...wishes } = webhook;
  const after = Math.max(ownPosition, fromPosition);
  const part = { after, head: goal, limit: ROOM_TO_CATCH_UP, filter: filterOfWishes(wishes) };
  const read = await eventsOf(tx, finality, part);
  const arrived = read.through >= goal;
  await tx.query({
    name: "webhook-caught-up",
    text: "update offchain.webhook set own_position = $2 where webhook_id = $1",
    values: [webhookId, arrived ? null : read.through],
  });
  return { made: read.events.map((event) => ({ webhookId, event })), arrived };
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
