/** Weighs agents' jobs again: after each read that changes something, and every hour, because windows move. */
import { z } from "zod";
import { weighJobs } from "../../core/commerce/weigh.ts";
import { dueJobFigures, forgetJobless, jobFacts, storeJobFigures } from "../../db/commerce/job-figures.ts";
import { weighDue } from "../income/weigh-due.ts";
import { defineJob } from "../job.ts";

/**
 * Resumes: with the agents whose figures are missing or the oldest; each is one commit.
 * One item: an agent whose figures cannot be computed is logged, and the others are.
 * Bound: of an agent 10,000 jobs of 90 days are weighed (core/commerce/rules.ts).
 */
export const jobFigures = defineJob({
  name: "job-figures",
  concurrency: 1,
  schedule: { everyMs: 15_000 },
  input: z.object({}),
  run: (context) =>
    weighDue(context, {
      forget: forgetJobless,
      due: dueJobFigures,
      facts: (tx, id, now) => jobFacts(tx, { id, usdc: context.config.contracts.usdc.address, now }),
      store: (id, { seen, facts }, { now, date }) =>
        storeJobFigures(context.db, { id, wallet: facts.wallet, seen, ...weighJobs(facts, now) }, date),
      failed: "an agent's jobs could not be weighed; the next run tries again",
    }),
});
