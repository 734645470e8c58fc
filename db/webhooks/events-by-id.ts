/** Events of the log by their ids, for deliveries to be sent. */
import type { LoggedEvent } from "../../core/events.ts";
import type { Queryable } from "../transaction.ts";

/** The events that are still in the log. Without positions: a delivery has its own. */
export async function eventsById(
  db: Queryable,
  ids: readonly string[],
): Promise<Map<string, Omit<LoggedEvent, "position">>> {
  if (ids.length === 0) return new Map();
  const { rows } = await db.query<Omit<LoggedEvent, "position">>({
    name: "events-by-id",
    text: `
      select id, type, token_id::float8 as "tokenId", agent_address as "agentAddress", owner,
             former_owner as "formerOwner", data, block::float8 as block, tx_hash as "txHash", at, final
      from offchain.event where id = any($1)`,
    values: [ids],
  });
  return new Map(rows.map((event) => [event.id, event]));
}
