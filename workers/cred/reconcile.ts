/** Finds lost jobs: recomputes every agent whose score was not computed from its newest block. */
import { reconcileCred } from "../../db/cred/cred-passes.ts";
import { defineJob } from "../job.ts";

/**
 * Resumes: at what differs from the index, or at a range of ids, in sets of 2,000 and ranges of 50,000; the formula is
 * clamped.
 */
export const reconcile = defineJob({
  name: "reconcile",
  schedule: { everyMs: 60_000 },
  run: ({ db, clock }) => reconcileCred(db, clock()),
});
