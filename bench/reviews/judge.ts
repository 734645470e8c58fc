/** Which reviewers the rules mark, and how far rings move honest agents. */
import type { ReviewStats } from "../../core/reviews/stats.ts";
import { computeReviews } from "../../core/reviews/stats.ts";
import { type Agent, factsOf, type World } from "./world.ts";

/** Marked: in a cluster, or on the agent's own side. */
const markedIn = ({ reviewers }: ReviewStats): string[] =>
  reviewers
    .filter(({ cluster, nothing }) => cluster !== null || nothing?.startsWith("own"))
    .map(({ address }) => address);

export type Verdict = {
  /** Marked reviewers by whose they are: the kind of a ring, or honest. */
  marked: Map<string, number>;
  /** All reviewers, likewise. */
  all: Map<string, number>;
  /** Of each honest agent that has an adjusted value without the rings: by how much they move it, and its raw value. */
  moved: { agent: Agent; raw: number; adjusted: number }[];
  /** Honest agents with reviews, and how many have an adjusted value. */
  agents: number;
  rated: number;
  seconds: number;
  reviews: number;
};

/** @param kindOf the kind of a ring by the name it has in the world */
export function judge(world: World, kindOf: (ring: string) => string): Verdict {
  const began = performance.now();
  const with_ = new Map([...factsOf(world)].map(([agent, facts]) => [agent, computeReviews(facts)]));
  const seconds = (performance.now() - began) / 1_000;
  const honest = world.reviews.filter(({ reviewer }) => reviewer.ring === null);
  const without = [...factsOf(world, honest)]
    .filter(([agent]) => agent.ring === null)
    .map(([agent, facts]) => ({ agent, before: computeReviews(facts) }));

  const marked = new Set([...with_.values()].flatMap(markedIn));
  const written = new Set(world.reviews.map(({ reviewer }) => reviewer));
  const verdict: Verdict = {
    ...{ marked: new Map(), all: new Map(), moved: [], agents: without.length, rated: 0, seconds },
    reviews: world.reviews.length,
  };
  const add = (to: Map<string, number>, key: string) => to.set(key, (to.get(key) ?? 0) + 1);
  for (const one of written) {
    const whose = one.ring === null ? "honest" : kindOf(one.ring);
    add(verdict.all, whose);
    if (marked.has(one.address)) add(verdict.marked, whose);
  }
  for (const { agent, before } of without) {
    const after = with_.get(agent)!;
    if (before.adjusted === null) continue;
    verdict.rated += 1;
    verdict.moved.push({
      agent,
      raw: Math.abs(after.raw! - before.raw!),
      adjusted: Math.abs(after.adjusted! - before.adjusted),
    });
  }
  return verdict;
}
