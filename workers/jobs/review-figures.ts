/** Weighs the reviews of agents in the canonical ERC-8004 registry again: after each review, and in turn for what changes by itself. */
import { z } from "zod";
import { weighReviews } from "../../core/reviews/weigh.ts";
import { type ReviewedAgent, reviewFacts } from "../../db/reviews/review-facts.ts";
import {
  countReviewers,
  forgetGone,
  oldestFigures,
  staleFigures,
  storeFigures,
} from "../../db/reviews/review-figures.ts";
import type { JobContext } from "../context.ts";
import { defineJob } from "../job.ts";

/** Agents whose facts are read at once. */
const SET = 100;
/** Agents of one run that are weighed again without a change of theirs, and how old their figures are. */
const [ROUND, MAX_AGE_MS] = [200, 3_600_000];

export const reviewFigures = defineJob({
  name: "review-figures",
  concurrency: 1,
  // Beside the runs after reviews: a reorganisation takes reviews back without telling of any.
  schedule: { everyMs: 15_000 },
  input: z.object({}),
  async run(context) {
    const { db, clock } = context;
    let changed = await forgetGone(db);
    for (let after: string | undefined; ; ) {
      const stale = await staleFigures(db, SET, after);
      changed += await weighAgents(context, stale);
      if (stale.length < SET) break;
      after = stale.at(-1)!.agentId;
    }
    const before = new Date(clock().getTime() - MAX_AGE_MS);
    const oldest = await oldestFigures(db, before, ROUND);
    for (let from = 0; from < oldest.length; from += SET)
      changed += await weighAgents(context, oldest.slice(from, from + SET));
    return changed;
  },
});

/** @returns number of agents that were weighed */
async function weighAgents(
  { db, clock, config }: Pick<JobContext, "db" | "clock" | "config">,
  agents: readonly ReviewedAgent[],
): Promise<number> {
  if (agents.length === 0) return 0;
  await countReviewers(db, agents);
  const now = clock();
  const found = await reviewFacts(db, agents, { schema: config.attestationSchemas[0]!, now });
  const weighed = found.map(({ facts, ...agent }) => ({ ...agent, weighed: weighReviews(facts) }));
  await storeFigures(db, weighed, now);
  return found.length;
}
