/** Keeps the planes of the directory, by which pages are found where memory does not answer. */
import { foldPlanes } from "../../db/directory/planes/fold.ts";
import { defineJob } from "../job.ts";

export const directoryPlanes = defineJob({
  name: "directory-planes",
  schedule: { everyMs: 3_000 },
  run: ({ db, clock }) => foldPlanes(db, { now: clock().getTime() }),
});
