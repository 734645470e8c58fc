/** Weighs the reviews of agents in the canonical ERC-8004 registry again: after each review, and in turn for what changes by itself. */
import pLimit from "p-limit";
import { recordsAt } from "../../core/links.ts";
import { computeReviews } from "../../core/reviews/stats.ts";
import { recordRegistrations, takeBackRegistrations } from "../../db/agents/canonical-identity.ts";
import { type RegistryAgent, reviewFacts } from "../../db/reviews/review-facts.ts";
import {
  countReviewers,
  type DueAgent,
  forgetGone,
  oldestStats,
  staleStats,
  storeStats,
} from "../../db/reviews/review-stats.ts";
import type { JobContext } from "../context.ts";
import { defineJob } from "../job.ts";

/** Agents whose facts are read at once, with about how many reviews together, and sets at a time. */
const [AGENTS_PER_READ, REVIEWS_PER_READ, MAX_READS_AT_ONCE] = [100, 20_000, 2];
const AGENTS_PER_COUNT = 5_000;
/** Agents of one run that are weighed again without a change of theirs, and how old their figures are. */
const [OLDEST_PER_RUN, MAX_AGE_MS] = [200, 3_600_000];

/**
 * Records first which registrations have become own agents' (db/agents/canonical-identity.ts).
 * Resumes: with the agents whose figures are older than the index, those with few reviews first; each set is one commit.
 * Bound: 10,000 reviewers of an agent are weighed by 20 entries each (db/reviews/review-facts.ts); sets are read by the
 * number of their reviews.
 */
export const reviewStats = defineJob({
  name: "review-figures",
  // In addition to the runs after new reviews: a reorganisation takes reviews back without an event.
  schedule: { everyMs: 15_000 },
  async run(context) {
    const { db, clock, config } = context;
    const records = recordsAt(config.service.publicUrl);
    await takeBackRegistrations(db, { records });
    await recordRegistrations(db, { records, reviewed: null });
    const gone = await forgetGone(db);
    const stale = await staleStats(db);
    // All are counted before any is weighed: the figures of one take the numbers of others.
    for (let from = 0; from < stale.length; from += AGENTS_PER_COUNT)
      await countReviewers(db, { agents: stale.slice(from, from + AGENTS_PER_COUNT) });
    const oldest = await oldestStats(db, { before: new Date(clock().getTime() - MAX_AGE_MS), limit: OLDEST_PER_RUN });
    const keyOf = ({ registry, agentId }: DueAgent) => `${registry} ${agentId}`;
    const keys = new Set(stale.map(keyOf));
    const sets = setsOf([...stale, ...oldest.filter((agent) => !keys.has(keyOf(agent)))]);
    const limit = pLimit(MAX_READS_AT_ONCE);
    const weighed = await Promise.all(sets.map((set) => limit(() => recomputeAgents(context, set))));
    return weighed.reduce((sum, number) => sum + number, gone);
  },
});

/** Sets of few agents, each with few reviews or one agent alone. */
function setsOf(agents: readonly DueAgent[]): DueAgent[][] {
  const sets: DueAgent[][] = [];
  let room = 0;
  for (const agent of agents) {
    const set = sets.at(-1);
    if (!set || set.length === AGENTS_PER_READ || agent.reviews > room) {
      sets.push([agent]);
      room = REVIEWS_PER_READ;
    } else set.push(agent);
    room -= agent.reviews;
  }
  return sets;
}

/** @returns number of agents that were weighed */
async function recomputeAgents(
  { db, clock, config }: Pick<JobContext, "db" | "clock" | "config">,
  agents: readonly RegistryAgent[],
): Promise<number> {
  const now = clock();
  const found = await reviewFacts(db, agents, { schema: config.attestationSchemas[0]!, now });
  const weighed = found.map(({ facts, ...agent }) => ({ ...agent, weighed: computeReviews(facts) }));
  await storeStats(db, weighed, now);
  return found.length;
}
