/**
 * Figures of a whole registry in the shape of an empirical study of ERC-8004 (arXiv 2606.26028), by the rules of this folder instead of
 * the study's own: how many reviewers are marked, and what is left of the agents that they rated.
 */
import type { ReviewsFacts } from "./facts.ts";
import { weighReviews } from "./weigh.ts";

export type Census = {
  /** Agents that have a review that was not taken back. */
  rated: number;
  /** Reviews, and those that were taken back. */
  reviews: number;
  revoked: number;
  reviewers: number;
  /** Reviewers in a cluster, or on the side of an agent that they reviewed. */
  marked: number;
  /** Rated agents with a marked reviewer, and those with marked reviewers only. */
  affected: number;
  emptied: number;
  /** Of rated agents, how many reviews by one account move the mean by twenty points: the median; null without a mean. */
  entriesToMove: number | null;
};

/** Points by which a mean is moved. */
const MOVED_POINTS = 20;

/** @param agents the facts about each agent that has reviews; a reviewer without a known history is not marked for it */
export function censusOf(agents: readonly ReviewsFacts[]): Census {
  const marked = new Set<string>();
  const moves: number[] = [];
  for (const facts of agents) {
    const { raw, reviewers } = weighReviews(facts);
    for (const { address, cluster, nothing } of reviewers)
      if (cluster !== null || nothing?.startsWith("own")) marked.add(address);
    const entries = facts.reviews.filter(({ revoked, value }) => !revoked && value !== null).length;
    if (raw !== null) moves.push(entriesToMove(raw, entries));
  }
  const all = agents.flatMap(({ reviews }) => reviews);
  const standing = agents
    .map(({ reviews }) => reviews.filter(({ revoked }) => !revoked))
    .filter(({ length }) => length > 0);
  const byMarked = ({ reviewer }: { reviewer: string }) => marked.has(reviewer);
  return {
    rated: standing.length,
    reviews: all.length,
    revoked: all.filter(({ revoked }) => revoked).length,
    reviewers: new Set(all.map(({ reviewer }) => reviewer)).size,
    marked: marked.size,
    affected: standing.filter((reviews) => reviews.some(byMarked)).length,
    emptied: standing.filter((reviews) => reviews.every(byMarked)).length,
    entriesToMove: moves.length === 0 ? null : moves.sort((a, b) => a - b)[(moves.length - 1) >> 1]!,
  };
}

/** Reviews of 0 or of 100, whichever are fewer, that move a mean of `entries` entries by twenty points. */
function entriesToMove(mean: number, entries: number): number {
  const furthest = Math.max(mean, 100 - mean);
  return Math.ceil((MOVED_POINTS * entries) / (furthest - MOVED_POINTS));
}
