/** Reads the commit snapshot of a transaction. */
import { COMMIT_SNAPSHOT } from "../../columns/commit-snapshot.ts";
import { array, statement, text } from "./statement.ts";

export const READ_COMMIT_SNAPSHOT = statement({
  name: "commit-snapshot",
  text: COMMIT_SNAPSHOT,
  columns: { xmax: text, inProgress: array(text) },
  prepared: true,
});
