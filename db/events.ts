/** Reads the event log after a position: all events or final ones, filtered if wanted. */
import type { EventFilter, LoggedEvent } from "../core/events.ts";
import type { Queryable } from "./transaction.ts";

/** NOTIFY channel of new events; the payload is the last position. `eventLog` reads the same. */
export const EVENTS_CHANNEL = "events";

/** The last position assigned, and the position up to which old events were deleted. */
export async function eventLog(db: Queryable): Promise<{ head: number; keptAfter: number }> {
  const { rows } = await db.query({
    name: "event-log",
    text: "select head, kept_after from offchain.event_log",
  });
  return { head: Number(rows[0].head), keptAfter: Number(rows[0].kept_after) };
}

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
const SPAN = 5_000;

const statement = (column: string) => `
  select ${column} as position, id, type, token_id as "tokenId", agent_address as "agentAddress", owner,
         former_owner as "formerOwner", data, block, tx_hash as "txHash", at, final
  from offchain.event
  where ${column} > $1 and ${column} <= $2
    and ($4::text[] is null or type = any($4) or (type = 'event.retracted' and data ->> 'type' = any($4)))
    and ($5::int8[] is null or token_id = any($5) or agent_address = any($6))
    and ($7::text[] is null or owner = any($7) or former_owner = any($7))
  order by ${column} limit $3`;
const ANY = { name: "events", text: statement("position") };
const FINAL = { name: "events-final", text: statement("final_position") };

/**
 * Events of a part of the log, oldest first.
 * @returns `through`: the position up to which all events were read; `head` when none is left
 */
export async function eventsAfter(
  db: Queryable,
  { after, head, limit, final = false, filter: { types, agents, owners } = {} }: LogPart,
): Promise<{ events: LoggedEvent[]; through: number }> {
  const through = Math.min(head, after + SPAN);
  if (through <= after) return { events: [], through: after };
  const { rows } = await db.query({
    ...(final ? FINAL : ANY),
    values: [after, through, limit, types ?? null, agents?.tokenIds ?? null, agents?.addresses ?? null, owners ?? null],
  });
  const events = rows.map(
    (row): LoggedEvent => ({
      ...row,
      position: Number(row.position),
      tokenId: row.tokenId === null ? null : Number(row.tokenId),
      block: row.block === null ? null : Number(row.block),
    }),
  );
  return { events, through: events.length === limit ? events.at(-1)!.position : through };
}
