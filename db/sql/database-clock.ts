/** Reads of the database itself: the commit snapshot of a transaction, and its clock. What is deleted by its age goes by it, so that a worker whose clock is wrong deletes nothing early. */
import { COMMIT_SNAPSHOT } from "../../columns/commit-snapshot.ts";
import { statement, t } from "./statement.ts";

export const READ_COMMIT_SNAPSHOT = statement({
  name: "commit-snapshot",
  text: COMMIT_SNAPSHOT,
  columns: { xmax: t.text, inProgress: t.array(t.text) },
  prepared: true,
});

/** The time by the clock of the database, which all workers share. */
export const databaseNow = statement({
  name: "database-now",
  text: "select clock_timestamp() as now",
  columns: { now: t.timestamptz },
}).onlyValue;
