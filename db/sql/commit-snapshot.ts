/** Reads the commit snapshot of a transaction. */
import { COMMIT_SNAPSHOT } from "../../columns/commit-snapshot.ts";
import { statement, t } from "./statement.ts";

export const READ_COMMIT_SNAPSHOT = statement({
  name: "commit-snapshot",
  text: COMMIT_SNAPSHOT,
  columns: { xmax: t.text, inProgress: t.array(t.text) },
  prepared: true,
});
