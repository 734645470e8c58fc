/** Fan-out of the event log to deliveries: each event once to each subscribed webhook, in the commit that moves the cursor. */
import { eq } from "drizzle-orm";
import type pg from "pg";
import { filterOf, type LoggedEvent } from "../../core/events/events.ts";
import { FINALITIES, type Finality, filterOfSubscription } from "../../core/webhooks/webhook.ts";
import { eventLog, eventsAfter, type LogPart } from "../events/events.ts";
import { webhook as webhookTable } from "../schema/webhooks.ts";
import { orm } from "../sql/orm.ts";
import { type Queryable, statement, t } from "../sql/statement.ts";
import { scheduleOwners } from "./owner-schedule.ts";
import { WEBHOOK, WEBHOOK_COLUMNS } from "./webhooks.ts";

const POSITIONS_PER_PART = 500;
/** Max webhooks per call; keeps its transaction short. */
const WEBHOOKS_PER_CALL = 1_000;
/** Number of deliveries after which a call ends; keeps its transaction short. */
const MAX_DELIVERIES = 2_000;
/** Max pending deliveries of a webhook; beyond them it is marked as behind, and its events wait in the log at no cost. */
export const MAX_PENDING = 1_000;
/** A webhook that is behind catches up when there is room for this number of deliveries. */
const ROOM_TO_CATCH_UP = 500;
/** Max webhooks that are behind per call; the next call continues with the next ones. */
const CATCH_UP_PAGE = 200;

export type FannedOut = {
  deliveries: number;
  /** Whether another call would create more deliveries now. */
  more: boolean;
};

const CURSOR = {
  position: t.int8,
  through: t.nullable(t.int8),
  handedTo: t.nullable(t.text),
  caughtUpTo: t.nullable(t.text),
};
type Cursor = t.RowOf<typeof CURSOR>;
const LOCK_CURSOR = statement({
  name: "webhook-cursor-lock",
  text: `select ${t.fieldsOf(CURSOR)} from offchain.webhook_cursor for update skip locked`,
  columns: CURSOR,
  prepared: true,
});
const MOVE_CURSOR = statement({
  name: "webhook-cursor-move",
  params: CURSOR,
  text: `
    update offchain.webhook_cursor set position = $position, through = $through, handed_to = $handedTo,
      caught_up_to = $caughtUpTo`,
  prepared: true,
});

/**
 * Creates the deliveries of one part of the log for the next webhooks, and advances webhooks that are behind.
 * Check then write: place, webhook on and room, then deliveries and place (`stepForward`); it may be switched off or
 * deleted, and another worker may run: row locks of cursor and webhook, and (webhook, event) is unique, so a crash
 * neither repeats nor omits a delivery; `disableWebhook` notes the older place, which repeats and never skips.
 * One item: a webhook of a part that has 1,000 waiting, hangs or fails is held back; lanes and places are by owner and
 * host; it pauses, and is switched off automatically.
 * Resumes: at part and webhook in `webhook_cursor`; 500 places, 1,000 webhooks and 2,000 deliveries a call.
 * @param now when the deliveries are due
 */
export async function fanOut(tx: pg.ClientBase, now: Date): Promise<FannedOut> {
  const cursor = await LOCK_CURSOR.maybeOne(tx);
  if (!cursor) return { deliveries: 0, more: false };
  const { head } = await eventLog(tx);
  const current = { ...cursor, through: cursor.through ?? Math.min(head, cursor.position + POSITIONS_PER_PART) };
  const fannedOut =
    current.through > current.position ? await fanOutPart(tx, current, now) : { made: [], handedTo: null };
  const next: Cursor =
    fannedOut.handedTo === null
      ? { ...cursor, position: current.through, through: null, handedTo: null }
      : { ...current, handedTo: fannedOut.handedTo };
  const caughtUp = await catchUp(tx, next, now);
  await MOVE_CURSOR.run(tx, { ...next, caughtUpTo: caughtUp.upTo });
  const made = [...fannedOut.made, ...caughtUp.made];
  // Last: schedules are locked after webhooks and deliveries.
  await scheduleOwners(tx, { webhookIds: [...new Set(made.map(({ webhookId }) => webhookId))], now });
  return {
    deliveries: made.length,
    more: next.through !== null || next.position < head || caughtUp.more,
  };
}

type MadeDelivery = { webhookId: string; event: LoggedEvent };

/** The next webhooks that are enabled and not behind. */
const CANDIDATES = statement({
  name: "webhook-candidates",
  params: { after: t.text },
  text: `
    select ${WEBHOOK}, w.from_position as "fromPosition" from offchain.webhook w
    where w.disabled_at is null and w.own_position is null and w.webhook_id > $after
    order by w.webhook_id limit ${WEBHOOKS_PER_CALL}`,
  columns: { ...WEBHOOK_COLUMNS, fromPosition: t.int8 },
  prepared: true,
});

/**
 * Creates the deliveries of one part for the next webhooks that are not behind.
 * @returns `handedTo`: the last webhook that has the part; null when all have it
 */
async function fanOutPart(
  tx: Queryable,
  { position: after, through, handedTo }: Cursor & { through: number },
  now: Date,
): Promise<{ made: MadeDelivery[]; handedTo: string | null }> {
  const webhooks = await CANDIDATES.rows(tx, { after: handedTo ?? "" });
  const events = {} as Record<Finality, LoggedEvent[]>;
  for (const finality of FINALITIES)
    events[finality] = (await eventsOf(tx, finality, { after, head: through, limit: POSITIONS_PER_PART })).events;
  const made: MadeDelivery[] = [];
  let done = 0;
  for (const { webhookId, fromPosition, finality, ...webhook } of webhooks) {
    const wanted = filterOf(filterOfSubscription(webhook));
    for (const event of events[finality])
      if (event.position > fromPosition && wanted(event)) made.push({ webhookId, event });
    done++;
    if (made.length >= MAX_DELIVERIES) break;
  }
  await insertDeliveries(tx, made, now);
  await markBehind(tx, { webhookIds: [...new Set(made.map(({ webhookId }) => webhookId))], at: through });
  const all = done === webhooks.length && webhooks.length < WEBHOOKS_PER_CALL;
  return { made, handedTo: all ? null : webhooks[done - 1]!.webhookId };
}

/** Marks webhooks with too many pending deliveries as behind. */
const markBehind = statement({
  name: "webhook-mark-behind",
  params: { webhookIds: t.array(t.text), at: t.int8 },
  unlessEmpty: "webhookIds",
  text: `
    update offchain.webhook w set own_position = $at
    where w.webhook_id = any($webhookIds) and w.own_position is null and (
      select count(*) from (
        select from offchain.webhook_delivery d
        where d.webhook_id = w.webhook_id and d.state = 'pending' limit ${MAX_PENDING}) waiting) >= ${MAX_PENDING}`,
  prepared: true,
}).run;

/**
 * Advances webhooks that were enabled again, or have room again, one page of them per call.
 * @returns `upTo`: the last webhook of the page; null when the next call begins with the first
 */
async function catchUp(
  tx: Queryable,
  { position, through, handedTo, caughtUpTo }: Cursor,
  now: Date,
): Promise<{ made: MadeDelivery[]; upTo: string | null; more: boolean }> {
  const behind = await BEHIND.rows(tx, { after: caughtUpTo ?? "" });
  const made: MadeDelivery[] = [];
  let more = false;
  for (const { webhookId, room } of behind) {
    if (!room) continue;
    // A webhook that has the current part continues after it; any other still gets it from the fan-out.
    const goal = through !== null && handedTo !== null && webhookId <= handedTo ? through : position;
    const step = await stepForward(tx, webhookId, goal);
    made.push(...step.made);
    more ||= !step.arrived;
    if (made.length >= MAX_DELIVERIES) {
      await insertDeliveries(tx, made, now);
      return { made, upTo: webhookId, more: true };
    }
  }
  await insertDeliveries(tx, made, now);
  return { made, upTo: behind.length < CATCH_UP_PAGE ? null : behind.at(-1)!.webhookId, more };
}

const BEHIND = statement({
  name: "webhook-behind",
  params: { after: t.text },
  text: `
    select w.webhook_id as "webhookId", (
      select count(*) from (
        select from offchain.webhook_delivery d where d.webhook_id = w.webhook_id and d.state = 'pending'
        limit ${ROOM_TO_CATCH_UP + 1}) waiting) <= ${MAX_PENDING - ROOM_TO_CATCH_UP} as room
    from offchain.webhook w
    where w.own_position is not null and w.disabled_at is null and w.webhook_id > $after
    order by w.webhook_id limit ${CATCH_UP_PAGE}`,
  columns: { webhookId: t.text, room: t.bool },
  prepared: true,
});

/** Reads the events that a webhook has missed, as many as it has room for, and moves its position. */
async function stepForward(
  tx: Queryable,
  webhookId: string,
  goal: number,
): Promise<{ made: MadeDelivery[]; arrived: boolean }> {
  const webhook = await STEP.maybeOne(tx, { webhookId });
  if (!webhook) return { made: [], arrived: true };
  const { ownPosition, fromPosition, finality, ...subscription } = webhook;
  const after = Math.max(ownPosition, fromPosition);
  const part = { after, head: goal, limit: ROOM_TO_CATCH_UP, filter: filterOfSubscription(subscription) };
  const read = await eventsOf(tx, finality, part);
  const arrived = read.through >= goal;
  await orm(tx)
    .update(webhookTable)
    .set({ ownPosition: arrived ? null : read.through })
    .where(eq(webhookTable.webhookId, webhookId));
  return { made: read.events.map((event) => ({ webhookId, event })), arrived };
}

const STEP = statement({
  name: "webhook-step",
  params: { webhookId: t.text },
  text: `
    select ${WEBHOOK}, w.from_position as "fromPosition", w.own_position as "ownPosition"
    from offchain.webhook w
    where w.webhook_id = $webhookId and w.own_position is not null and w.disabled_at is null
    for no key update skip locked`,
  columns: { ...WEBHOOK_COLUMNS, fromPosition: t.int8, ownPosition: t.filtered(t.int8) },
  prepared: true,
});

/** A webhook for final events never gets an event that is retracted later, so it gets no retractions. */
async function eventsOf(db: Queryable, finality: Finality, part: LogPart) {
  const { events, through } = await eventsAfter(db, { ...part, final: finality === "final" });
  return {
    events: finality === "final" ? events.filter(({ type }) => type !== "event.retracted") : events,
    through: Math.max(through, part.after),
  };
}

/** An existing delivery is not changed: a webhook gets each event once. */
async function insertDeliveries(tx: Queryable, made: readonly MadeDelivery[], now: Date): Promise<void> {
  if (made.length === 0) return;
  await INSERT.run(tx, { made: made.map(({ webhookId, event }) => ({ webhookId, ...event })), now });
}

const INSERT = statement({
  name: "webhook-deliveries-insert",
  params: {
    made: t.records({ webhookId: t.text, id: t.text, type: t.text, position: t.int8, final: t.bool }),
    now: t.timestamptz,
  },
  text: `
    insert into offchain.webhook_delivery
      (webhook_id, event_id, event_type, position, final, due_at, created_at)
    select w.webhook_id, id, type, position, final, $now, $now
    from $made join offchain.webhook w on w.webhook_id = made.webhook_id
    order by position, made.webhook_id for key share of w
    on conflict (webhook_id, event_id) do nothing`,
  prepared: true,
});
