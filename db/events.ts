/** The event log as it is read: from a place on, everything or what is final, filtered where somebody wants only a part. */
import type { EventFilter, LoggedEvent } from "../core/events.ts";
import type { Queryable } from "./transaction.ts";

/** Announces how far the log has got; the payload is its last place. Whoever misses it finds the same in `eventLog`. */
export const EVENTS_CHANNEL = "events";

/** The last place given out, and the place up to which events were removed by their age. */
export async function eventLog(db: Queryable): Promise<{ head: number; keptAfter: number }> {
  const { rows } = await db.query({
    name: "event-log",
    text: "select head, kept_after from offchain.event_log",
  });
  return { head: Number(rows[0].head), keptAfter: Number(rows[0].kept_after) };
}

/** Which part of the log: the places after one, up to another, of everything or of what is final. */
export type LogPart = {
  after: number;
  /** As far as the log is known to have got. */
  head: number;
  limit: number;
  /** Only what can no longer be taken back, in the order in which it became so. */
  final?: boolean;
  filter?: EventFilter;
};

/** So many places are looked at for one read at most, whatever a filter leaves of them. */
const SPAN = 5_000;

const statement = (place: string) => `
  select ${place} as position, id, type, token_id as "tokenId", agent_address as "agentAddress", owner,
         former_owner as "formerOwner", data, block, tx_hash as "txHash", at, final
  from offchain.event
  where ${place} > $1 and ${place} <= $2
    and ($4::text[] is null or type = any($4) or (type = 'event.retracted' and data ->> 'type' = any($4)))
    and ($5::int8[] is null or token_id = any($5) or agent_address = any($6))
    and ($7::text[] is null or owner = any($7) or former_owner = any($7))
  order by ${place} limit $3`;
const ANY = { name: "events", text: statement("position") };
const FINAL = { name: "events-final", text: statement("final_position") };

/**
 * Events of a part of the log, oldest first.
 * @returns `through`: everything up to there has been looked at; it is `head` when nothing is left
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
