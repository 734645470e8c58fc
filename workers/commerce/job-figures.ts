/** Weighs agents' jobs again: after each read that changes something, and every hour, because windows move. */
import { z } from "zod";
import { weighJobs } from "../../core/commerce/weigh.ts";
import { unixSeconds } from "../../core/times.ts";
import { dueJobFigures, forgetJobless, jobFacts, storeJobFigures } from "../../db/commerce/job-figures.ts";
import { snapshot } from "../../db/sql/transaction.ts";
import { defineJob } from "../job.ts";

/** Agents of one run, and how old figures become. */
const [AGENTS_PER_RUN, MAX_AGE_MS] = [500, 3_600_000];

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
  async run({ db, clock, config, log }) {
    const usdc = config.contracts.usdc.address;
    let changed = await forgetJobless(db);
    for (const id of await dueJobFigures(db, new Date(clock().getTime() - MAX_AGE_MS), AGENTS_PER_RUN)) {
      try {
        const at = clock();
        const now = unixSeconds(at);
        const found = await snapshot(db, (tx) => jobFacts(tx, { id, usdc, now }));
        if (found === null) continue;
        const { seen, side, jobs } = found;
        await storeJobFigures(db, { id, wallet: side.wallet, seen, figures: weighJobs(jobs, side, now) }, at);
        changed += 1;
      } catch (err) {
        log.warn({ err, directoryId: id }, "an agent's jobs could not be weighed; the next run tries again");
      }
    }
    return changed;
  },
});
