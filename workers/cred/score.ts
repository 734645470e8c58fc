/** Recomputes the scores of agents that events name. */
import { z } from "zod";
import { recomputeCred } from "../../db/cred/cred.ts";
import { defineJob } from "../job.ts";

export const score = defineJob({
  name: "score",
  concurrency: 4,
  queued: true,
  input: z.object({
    tokenIds: z.array(z.int().min(0)).min(1),
    /** The kind of index change that caused it. */
    cause: z.string(),
  }),
  run: async ({ db, clock }, { tokenIds, cause }) =>
    (await recomputeCred(db, { tokenIds }, { now: clock(), cause })).changed.length,
});
