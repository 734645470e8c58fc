/** Reads the event log: after a position, all events or final ones, filtered if wanted; and of one agent, the newest first. */
import type { EventFilter, EventType, LoggedEvent } from "../../core/events/events.ts";
import { event } from "../schema/events.ts";
import { type Queryable, statement, t } from "../sql/statement.ts";
import { columnsOf } from "../sql/table-columns.ts";

/** NOTIFY channel of new events; the payload is the last position. `eventLog` reads the same. */
export const EVENTS_CHANNEL = "events";

/** The last position assigned, and the position up to which events are too old to be read. */
export const eventLog = statement({
  name: "event-log",
  text: `select head, kept_after as "keptAfter" from offchain.event_log`,
  columns: { head: t.int8, keptAfter: t.int8 },
  prepared: true,
}).one;

/** SQL of whether an event `as` with a position may be read: those that are too old stay until their day is dropped. */
export const isKeptSql = (as: string) => `${as}.position > (select kept_after from offchain.event_log)`;

/** When the oldest event that may be read happened; null while there is none. */
export const oldestEventAt = statement({
  name: "event-oldest",
  text: `
    select at from offchain.event e where ${isKeptSql("e")} order by position limit 1`,
  columns: { at: t.timestamptz },
  prepared: true,
}).value;

/** A part of the log: the positions after one, up to another, of all events or of final ones. */
export type LogPart = {
  after: number;
  /** The last known position of the log. */
  head: number;
  limit: number;
  /** Only events that can no longer be retracted, in the order in which they became final. */
  final?: boolean;
  filter?: EventFilter;
};

/** Max positions per read, before the filter. */
const POSITIONS_PER_READ = 5_000;

/** Columns of an event in the order of `EVENT`. */
const EVENT_COLUMNS = columnsOf(event, {
  without: ["appendId", "position", "finalPosition", "retracted", "retracts", "source"],
});
/** SQL of an event in the shape of `LoggedEvent`, without its position. */
const EVENT = t.fieldsOf(EVENT_COLUMNS);

const eventsBy = (name: string, column: string) =>
  statement({
    name,
    params: {
      after: t.int8,
      through: t.int8,
      limit: t.int8,
      types: t.optional(t.array(t.text)),
      tokenIds: t.optional(t.array(t.int8)),
      addresses: t.optional(t.array(t.text)),
      owners: t.optional(t.array(t.text)),
    },
    text: `
  select ${column} as position, ${EVENT}
  from offchain.event e
  where ${column} > $after and ${column} <= $through and ${isKeptSql("e")}
    and ($types::text[] is null or type = any($types) or (type = 'event.retracted' and data ->> 'type' = any($types)))
    and ($tokenIds::int8[] is null or token_id = any($tokenIds) or agent_address = any($addresses))
    and ($owners::text[] is null or owner = any($owners) or former_owner = any($owners))
  order by ${column} limit $limit`,
    columns: { position: t.filtered(t.int8), ...EVENT_COLUMNS },
    prepared: true,
  });
const ANY = eventsBy("events", "position");
const FINAL = eventsBy("events-final", "final_position");

/**
 * Events of a part of the log, oldest first.
 * @returns `through`: the position up to which all events were read; `head` when none is left
 */
export async function eventsAfter(
  db: Queryable,
  { after, head, limit, final = false, filter: { types, agents, owners } = {} }: LogPart,
): Promise<{ events: LoggedEvent[]; through: number }> {
  const through = Math.min(head, after + POSITIONS_PER_READ);
  if (through <= after) return { events: [], through: after };
  const events: LoggedEvent[] = await (final ? FINAL : ANY).rows(db, {
    after,
    through,
    limit,
    ...{ types, owners, tokenIds: agents?.tokenIds, addresses: agents?.addresses },
  });
  return { events, through: events.length === limit ? events.at(-1)!.position : through };
}

/** Max events of one agent per read, before the types that are wanted. */
const AGENT_EVENTS_PER_READ = 5_000;

/** SQL of the newest events `e` of an agent before a position, without retracted ones. */
const OF_AGENT = `
  select * from offchain.event
  where token_id = $tokenId and position < $before and not retracted and retracts is null
    and ${isKeptSql("event")}
  order by position desc limit ${AGENT_EVENTS_PER_READ}`;

const NEWEST = statement({
  name: "events-of-agent",
  params: { tokenId: t.int8, before: t.int8, types: t.optional(t.array(t.text)), limit: t.int8 },
  text: `
  select position, ${EVENT} from (${OF_AGENT}) e
  where $types::text[] is null or type = any($types) order by position desc limit $limit`,
  columns: { position: t.filtered(t.int8), ...EVENT_COLUMNS },
  prepared: true,
});

const LOOKED_THROUGH = statement({
  name: "events-of-agent-through",
  params: { tokenId: t.int8, before: t.int8 },
  text: `
  select case when count(*) = ${AGENT_EVENTS_PER_READ} then min(position) end as through from (${OF_AGENT}) e`,
  columns: { through: t.nullable(t.int8) },
  prepared: true,
});

/**
 * Events of one agent, the newest first, without those that were taken back.
 * @param wanted.before a position: only events before it
 * @returns `nextBefore`: where older ones begin; null when there are none
 */
export async function eventsOfAgent(
  db: Queryable,
  { tokenId, before, types, limit }: { tokenId: number; before: number; types?: readonly EventType[]; limit: number },
): Promise<{ events: LoggedEvent[]; nextBefore: number | null }> {
  const events: LoggedEvent[] = await NEWEST.rows(db, { tokenId, before, types, limit });
  if (events.length === limit) return { events, nextBefore: events.at(-1)!.position };
  return { events, nextBefore: (await LOOKED_THROUGH.one(db, { tokenId, before })).through };
}

const BY_ID = statement({
  name: "events-by-id",
  params: { ids: t.array(t.text) },
  // An array of unknown length costs the same in any plan, so that the prepared one is used, not one for these ids.
  text: `
    select ${EVENT} from offchain.event e
    where id = any(array(select unnest($ids::text[]))) and ${isKeptSql("e")}`,
  columns: EVENT_COLUMNS,
  prepared: true,
});

/** The events that may still be read from the log. Without positions: a delivery has its own. */
export async function eventsById(
  db: Queryable,
  ids: readonly string[],
): Promise<Map<string, Omit<LoggedEvent, "position">>> {
  if (ids.length === 0) return new Map();
  const rows = await BY_ID.rows(db, { ids });
  return new Map(rows.map((event) => [event.id, event]));
}
