/** Reads the event log: after a position, all events or final ones, filtered if wanted; and of one agent, the newest first. */
import type { Address, Hex } from "../../core/agents/facts.ts";
import type { EventData, EventFilter, EventType, LoggedEvent } from "../../core/events/events.ts";
import {
  array,
  bool,
  fieldsOf,
  filtered,
  int8,
  jsonb,
  narrow,
  nullable,
  statement,
  text,
  timestamptz,
} from "../sql/statement.ts";
import type { Queryable } from "../sql/transaction.ts";

/** NOTIFY channel of new events; the payload is the last position. `eventLog` reads the same. */
export const EVENTS_CHANNEL = "events";

/** The last position assigned, and the position up to which events are too old to be read. */
export const eventLog = statement({
  name: "event-log",
  text: `select head, kept_after as "keptAfter" from offchain.event_log`,
  columns: { head: int8, keptAfter: int8 },
  prepared: true,
}).one;

/** SQL of whether an event `as` with a position may be read: those that are too old stay until their day is dropped. */
export const isKeptSql = (as: string) => `${as}.position > (select kept_after from offchain.event_log)`;

/** When the oldest event that may be read happened; null while there is none. */
export const oldestEventAt = statement({
  name: "event-oldest",
  text: `
    select at from offchain.event e where ${isKeptSql("e")} order by position limit 1`,
  columns: { at: timestamptz },
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
export const EVENT_COLUMNS = {
  id: text,
  type: narrow<EventType>(text),
  tokenId: nullable(int8),
  agentAddress: nullable(narrow<Address>(text)),
  owner: nullable(narrow<Address>(text)),
  formerOwner: nullable(narrow<Address>(text)),
  data: jsonb<EventData>(),
  block: nullable(int8),
  txHash: nullable(narrow<Hex>(text)),
  at: timestamptz,
  final: bool,
};
/** SQL of an event in the shape of `LoggedEvent`, without its position. */
export const EVENT = fieldsOf(EVENT_COLUMNS);

const eventsBy = (name: string, column: string) =>
  statement({
    name,
    params: {
      after: int8,
      through: int8,
      limit: int8,
      types: nullable(array(text)),
      tokenIds: nullable(array(int8)),
      addresses: nullable(array(text)),
      owners: nullable(array(text)),
    },
    text: `
  select ${column} as position, ${EVENT}
  from offchain.event e
  where ${column} > $after and ${column} <= $through and ${isKeptSql("e")}
    and ($types::text[] is null or type = any($types) or (type = 'event.retracted' and data ->> 'type' = any($types)))
    and ($tokenIds::int8[] is null or token_id = any($tokenIds) or agent_address = any($addresses))
    and ($owners::text[] is null or owner = any($owners) or former_owner = any($owners))
  order by ${column} limit $limit`,
    columns: { position: filtered(int8), ...EVENT_COLUMNS },
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
    types: types ?? null,
    owners: owners ?? null,
    tokenIds: agents?.tokenIds ?? null,
    addresses: agents?.addresses ?? null,
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
  params: { tokenId: int8, before: int8, types: nullable(array(text)), limit: int8 },
  text: `
  select position, ${EVENT} from (${OF_AGENT}) e
  where $types::text[] is null or type = any($types) order by position desc limit $limit`,
  columns: { position: filtered(int8), ...EVENT_COLUMNS },
  prepared: true,
});

const LOOKED_THROUGH = statement({
  name: "events-of-agent-through",
  params: { tokenId: int8, before: int8 },
  text: `
  select case when count(*) = ${AGENT_EVENTS_PER_READ} then min(position) end as through from (${OF_AGENT}) e`,
  columns: { through: nullable(int8) },
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
  const events: LoggedEvent[] = await NEWEST.rows(db, { tokenId, before, types: types ?? null, limit });
  if (events.length === limit) return { events, nextBefore: events.at(-1)!.position };
  return { events, nextBefore: (await LOOKED_THROUGH.one(db, { tokenId, before })).through };
}
