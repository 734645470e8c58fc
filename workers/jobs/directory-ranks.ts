/** Notes every day which places the directory's first rows have. */
import { z } from "zod";
import { noteRanks } from "../../db/directory/ranks.ts";
import { defineJob } from "../job.ts";

export const directoryRanks = defineJob({
  name: "directory-ranks",
  concurrency: 1,
  // More often than it has something to do: a process that was down at midnight misses no day.
  schedule: { everyMs: 3_600_000 },
  input: z.object({}),
  run: ({ db, clock }) => noteRanks(db, clock()),
});
