/** Counts the holders of the service token. */
import { z } from "zod";
import { countHolders } from "../../db/agents/token-stats.ts";
import { defineJob } from "../job.ts";

/** Max age of the number in milliseconds. */
const MAX_AGE_MS = 1_800_000;

export const tokenStats = defineJob({
  name: "token-stats",
  concurrency: 1,
  // Runs more often than it counts, so that the first number does not wait half an hour for the first index.
  schedule: { everyMs: 60_000 },
  input: z.object({}),
  run: async ({ db, clock }) => Number(await countHolders(db, { now: clock(), maxAgeMs: MAX_AGE_MS })),
});
