/** Weighs the payments to agents' wallets again: after each read that changes something, and every hour, because windows move. */
import { z } from "zod";
import { weighIncome } from "../../core/income/weigh.ts";
import { incomeFacts } from "../../db/income/income-facts.ts";
import { dueFigures, forgetUnpaid, storeIncome } from "../../db/income/income-figures.ts";
import { defineJob } from "../job.ts";
import { weighDue } from "./weigh-due.ts";

/**
 * Resumes: with the agents whose figures are missing or the oldest; each is one commit.
 * One item: an agent whose figures cannot be computed is logged, and the others are.
 * Bound: of an agent 10,000 payments of 90 days are weighed (core/income/rules.ts).
 */
export const incomeFigures = defineJob({
  name: "income-figures",
  concurrency: 1,
  schedule: { everyMs: 15_000 },
  input: z.object({}),
  run: (context) =>
    weighDue(context, {
      forget: forgetUnpaid,
      due: dueFigures,
      facts: (tx, id, now) => incomeFacts(tx, { id, usdc: context.config.contracts.usdc.address, now }),
      store: (id, { seen, facts }, { now, date }) =>
        storeIncome(context.db, { id, wallet: facts.wallet, seen, ...weighIncome(facts, now) }, date),
      failed: "payments to an agent could not be weighed; the next run tries again",
    }),
});
