/** Weighs the payments to agents' wallets again: after each read that changes something, and every hour, because windows move. */
import { z } from "zod";
import { weighIncome } from "../../core/income/weigh.ts";
import { incomeFacts } from "../../db/income/income-facts.ts";
import { dueFigures, forgetUnpaid, storeIncome } from "../../db/income/income-figures.ts";
import { snapshot } from "../../db/sql/transaction.ts";
import { defineJob } from "../job.ts";

/** Agents of one run, and how old figures become. */
const [AGENTS_PER_RUN, MAX_AGE_MS] = [500, 3_600_000];

/**
 * Resumes: with the agents whose figures are missing or the oldest; each is one commit.
 * One item: an agent whose figures cannot be computed is logged, and the others are.
 * Bound: of an agent the newest 10,000 payments of 90 days are weighed (core/income/rules.ts).
 */
export const incomeFigures = defineJob({
  name: "income-figures",
  concurrency: 1,
  schedule: { everyMs: 15_000 },
  input: z.object({}),
  async run({ db, clock, log }) {
    let changed = await forgetUnpaid(db);
    for (const id of await dueFigures(db, new Date(clock().getTime() - MAX_AGE_MS), AGENTS_PER_RUN)) {
      try {
        const now = clock();
        const seconds = Math.floor(now.getTime() / 1_000);
        const found = await snapshot(db, (tx) => incomeFacts(tx, id, seconds));
        if (found === null) continue;
        const { wallet } = found.facts;
        await storeIncome(db, { id, wallet, seen: found.seen, ...weighIncome(found.facts, seconds) }, now);
        changed += 1;
      } catch (err) {
        log.warn({ err, directoryId: id }, "payments to an agent could not be weighed; the next run tries again");
      }
    }
    return changed;
  },
});
