/** Recomputes every score, so that no mistake of the event-driven ways outlives a day. */
import { z } from "zod";
import { fullPass } from "../../db/cred.ts";
import { defineJob } from "../job.ts";

export const selfCheck = defineJob({
  name: "self-check",
  concurrency: 1,
  schedule: { everyMs: 86_400_000 },
  input: z.object({}),
  run: ({ db, clock }) => fullPass(db, { now: clock(), cause: "reconcile" }),
});
