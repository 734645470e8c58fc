/** Compares every score with the facts once a day, in parts, so that a mistake of the event-driven jobs lasts one day at most. */
import { CHECKS_OF_ALL, checkCred } from "../../db/cred/cred-passes.ts";
import { defineJob } from "../job.ts";

/** Resumes: at its stored place, in ranges of 50,000. */
export const selfCheck = defineJob({
  name: "self-check",
  schedule: { everyMs: 86_400_000 / CHECKS_OF_ALL },
  run: async ({ db, clock, log }) => {
    const { moved, missed } = await checkCred(db, clock());
    if (missed > 0) log.warn({ missed }, "scores were not up to date with their agents");
    return moved;
  },
});
