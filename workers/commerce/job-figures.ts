/** Weighs agents' jobs. */
import { weighJobs } from "../../core/commerce/weigh.ts";
import { jobFigures as figures, jobFacts, storeJobFigures } from "../../db/commerce/job-figures.ts";
import { weighingJob } from "../income/weigh-due.ts";

export const jobFigures = weighingJob({
  name: "job-figures",
  figures,
  facts: jobFacts,
  store: (db, { id, facts: { seen, facts, totals }, now }, date) =>
    storeJobFigures(db, { id, wallet: facts.wallet, seen, ...weighJobs(facts, now, totals) }, date),
  failed: "an agent's jobs could not be weighed; the next run tries again",
});
