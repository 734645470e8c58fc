/** Recomputes every score, so that a mistake of the event-driven jobs lasts one day at most. */
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
