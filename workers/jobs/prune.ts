/** Removes what is only kept for a while: answers stored for idempotency keys. */
import { z } from "zod";
import { forgetExpired } from "../../db/idempotency.ts";
import { defineJob } from "../job.ts";

export const prune = defineJob({
  name: "prune",
  concurrency: 1,
  schedule: { everyMs: 3_600_000 },
  input: z.object({}),
  run: ({ db }) => forgetExpired(db),
});
