/** Removes what is only kept for a while: answers stored for idempotency keys, revocations of what has expired since. */
import { z } from "zod";
import { forgetExpired } from "../../db/idempotency.ts";
import { forgetRevocations } from "../../db/revocations.ts";
import { defineJob } from "../job.ts";

export const prune = defineJob({
  name: "prune",
  concurrency: 1,
  schedule: { everyMs: 3_600_000 },
  input: z.object({}),
  run: async ({ db }) => (await forgetExpired(db)) + (await forgetRevocations(db)),
});
