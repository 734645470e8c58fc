/** Records the ranks of the directory's first rows every day. */
import { storeRanks } from "../../db/directory/daily-ranks.ts";
import { defineJob } from "../job.ts";

export const directoryRanks = defineJob({
  name: "directory-ranks",
  // Runs more often than once a day: a process that was down at midnight misses no day.
  schedule: { everyMs: 3_600_000 },
  run: ({ db, clock }) => storeRanks(db, clock()),
});
