/** Counts the holders of the service token. */
import { countHolders } from "../../db/agents/token-stats.ts";
import { defineJob } from "../job.ts";

/** Max age of the number in milliseconds. */
const MAX_AGE_MS = 1_800_000;

export const tokenStats = defineJob({
  name: "token-stats",
  // Runs more often than it counts, so that the first number does not wait half an hour for the first index.
  schedule: { everyMs: 60_000 },
  run: async ({ db, clock }) => Number(await countHolders(db, { now: clock(), maxAgeMs: MAX_AGE_MS })),
});
