/** Events of the log by their ids, for deliveries to be sent. */
import type { LoggedEvent } from "../../core/events/events.ts";
import { EVENT, EVENT_COLUMNS, isKeptSql } from "../events/events.ts";
import { array, statement, text } from "../sql/statement.ts";
import type { Queryable } from "../sql/transaction.ts";

const BY_ID = statement({
  name: "events-by-id",
  params: { ids: array(text) },
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
