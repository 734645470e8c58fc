/** Recomputes the scores of young agents, which grow with age. Once a day is needed; once an hour is cheap. */
import { refreshAges } from "../../db/cred/cred-passes.ts";
import { defineJob } from "../job.ts";

/** Resumes: at what differs, in sets of 2,000 and ranges of 50,000; the formula is clamped. */
export const ageRefresh = defineJob({
  name: "age-refresh",
  schedule: { everyMs: 3_600_000 },
  run: ({ db, clock }) => refreshAges(db, clock()),
});
