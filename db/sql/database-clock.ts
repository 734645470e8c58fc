/** The database's clock: what is deleted by its age goes by it, so that a worker whose clock is wrong deletes nothing early. */
import { statement, timestamptz } from "./statement.ts";
import type { Queryable } from "./transaction.ts";

const NOW = statement({
  name: "database-now",
  text: "select clock_timestamp() as now",
  columns: { now: timestamptz },
});

/** The time by the clock of the database, which all workers share. */
export const databaseNow = async (db: Queryable): Promise<Date> => (await NOW.one(db)).now;
