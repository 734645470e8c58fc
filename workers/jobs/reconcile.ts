/** Finds lost jobs: recomputes every agent whose score was not computed from its newest block. */
import { z } from "zod";
import { reconcileCred } from "../../db/cred/cred-passes.ts";
import { defineJob } from "../job.ts";

export const reconcile = defineJob({
  name: "reconcile",
  concurrency: 1,
  schedule: { everyMs: 60_000 },
  input: z.object({}),
  run: ({ db, clock }) => reconcileCred(db, clock()),
});
