/** The database's clock: what is deleted by its age goes by it, so that a worker whose clock is wrong deletes nothing early. */
import { statement, t } from "./statement.ts";

/** The time by the clock of the database, which all workers share. */
export const databaseNow = statement({
  name: "database-now",
  text: "select clock_timestamp() as now",
  columns: { now: t.timestamptz },
}).onlyValue;
