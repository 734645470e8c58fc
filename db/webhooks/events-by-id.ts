/** Events of the log by their ids, for deliveries to be sent. */
import type { LoggedEvent } from "../../core/events.ts";
import { EVENT, EVENT_COLUMNS } from "../events.ts";
import { array, statement, text } from "../statement.ts";
import type { Queryable } from "../transaction.ts";

const BY_ID = statement({
  name: "events-by-id",
  params: { ids: array(text) },
  text: `select ${EVENT} from offchain.event where id = any($ids)`,
  columns: EVENT_COLUMNS,
  prepared: true,
});

/** The events that are still in the log. Without positions: a delivery has its own. */
export async function eventsById(
  db: Queryable,
  ids: readonly string[],
): Promise<Map<string, Omit<LoggedEvent, "position">>> {
  if (ids.length === 0) return new Map();
  const rows = await BY_ID.rows(db, { ids });
  return new Map(rows.map((event) => [event.id, event]));
}
