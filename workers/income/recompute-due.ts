/** Weighs agents again whose figures of payments or of jobs are due: after each read that changes something, and every hour, because windows move. */
import { jobEvidence } from "../../db/commerce/job-stats.ts";
import { incomeEvidence } from "../../db/income/income-stats.ts";
import { isNoIndex } from "../../db/sql/transaction.ts";
import { defineJob } from "../job.ts";

/** Agents of one run, and how old figures become. */
const [AGENTS_PER_RUN, MAX_AGE_MS] = [500, 3_600_000];

/**
 * A job whose runs end with the number of agents whose figures were stored, or forgotten.
 * Resumes: with the agents whose figures are missing or the oldest; each is one commit.
 * One item: an agent whose figures cannot be computed is logged, and the others are. Without an index none can be.
 * Bound: of an agent what `weighedOf` chooses is weighed one by one (db/income/agent-stats.ts).
 * @param failed what the log says of an agent that could not be weighed
 */
const recomputeJob = (name: string, evidence: typeof incomeEvidence | typeof jobEvidence, failed: string) =>
  defineJob({
    name,
    schedule: { everyMs: 15_000, readsPayments: true },
    async run({ db, clock, log, config }) {
      let changed = await evidence.forget(db);
      const usdc = config.contracts.usdc.address;
      for (const id of await evidence.due(db, new Date(clock().getTime() - MAX_AGE_MS), AGENTS_PER_RUN)) {
        try {
          if (await evidence.recompute(db, { id, usdc }, clock())) changed += 1;
        } catch (err) {
          if (isNoIndex(err)) throw err;
          log.warn({ err, directoryId: id }, failed);
        }
      }
      return changed;
    },
  });

export const incomeStats = recomputeJob(
  "income-figures",
  incomeEvidence,
  "payments to an agent could not be weighed; the next run tries again",
);
export const jobStats = recomputeJob(
  "job-figures",
  jobEvidence,
  "an agent's jobs could not be weighed; the next run tries again",
);
