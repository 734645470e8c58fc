/** What the reviews of an agent are worth: raw and adjusted value, an interval, the voices behind it, and why each review counts how much. */
import { type Cluster, clustersOf } from "./clusters.ts";
import type { ReviewEntry, ReviewerFacts, ReviewsFacts } from "./facts.ts";
import { CROWD, type NothingKey, RULES_VERSION, type SharedKey, type StandingKey, saysOf, UNKNOWN } from "./rules.ts";
import { standingOf } from "./standing.ts";
import { privateOf } from "./traits.ts";

/** A reason with its words. */
export type Reason = { evidence: StandingKey | SharedKey | NothingKey; says: string };

/** An entry with what it counts. */
export type WeighedReview = {
  reviewer: string;
  index: string;
  /** 0 to 1. */
  weight: number;
  /** The id of its cluster; null where its reviewer shares too little with the others. */
  cluster: string | null;
  reasons: Reason[];
};

export type Weighed = {
  rules: number;
  /** The mean of all standing entries, whoever wrote them, 0 to 100; null without any. */
  raw: number | null;
  /** The mean by weight; null where no reviewer has proof behind it. */
  adjusted: number | null;
  /** Where the adjusted value would be if one more reviewer with proof said 0, or 100. */
  interval: [number, number];
  /** Number of independent voices among the entries that count: a cluster is one. */
  voices: number;
  clusters: Cluster[];
  /** Raw less adjusted; null where either is. */
  inflation: number | null;
  /** In the order of reviewer and index. */
  reviews: WeighedReview[];
};

/** One reviewer on the way to its weight. */
type Voice = {
  facts: ReviewerFacts;
  nothing: NothingKey | null;
  standing: ReturnType<typeof standingOf>;
  entries: ReviewEntry[];
};

/**
 * Weighs the reviews of one agent. A function of the facts alone; their order does not matter.
 *
 * A reviewer with proof has the weight of its standing. The others divide what the crowd has: `CROWD` of the weight of
 * those with proof, however many they are, so that they move the adjusted value by less than five points. A cluster weighs
 * what its strongest member does. The entries of one reviewer divide its weight.
 */
export function weighReviews(facts: ReviewsFacts): Weighed {
  const clusters = clustersOf(facts);
  const clusterOf = new Map(
    clusters.flatMap((cluster) => cluster.reviewers.map((address) => [address, cluster] as const)),
  );
  const voices = voicesOf(facts);
  const counting = voices.filter(({ nothing }) => nothing === null);
  const voiceOf = ({ facts: { address } }: Voice) => clusterOf.get(address)?.id ?? address;
  const weights = weightsOf(counting, voiceOf);

  let [weight, sum] = [0, 0];
  for (const voice of counting) {
    const own = weights.get(voice.facts.address)!;
    weight += own;
    sum += own * mean(standing(voice.entries));
  }
  const everyone = facts.reviews.filter(({ revoked, value }) => !revoked && value !== null);
  const raw = everyone.length === 0 ? null : mean(everyone);
  const adjusted = weight === 0 ? null : bounded(sum / weight);
  return {
    rules: RULES_VERSION,
    raw,
    adjusted,
    interval: [bounded(sum / (weight + UNKNOWN)), bounded((sum + 100 * UNKNOWN) / (weight + UNKNOWN))],
    voices: weight === 0 ? 0 : new Set(counting.map(voiceOf)).size,
    clusters,
    inflation: raw === null || adjusted === null ? null : raw - adjusted,
    reviews: voices.flatMap((voice) => weighed(voice, weights.get(voice.facts.address) ?? 0, clusterOf)),
  };
}

/** The reviewers in the order of their addresses, each with its entries and whether it counts at all. */
function voicesOf({ side, reviewers, reviews }: ReviewsFacts): Voice[] {
  const entriesOf = Map.groupBy(reviews, ({ reviewer }) => reviewer);
  const ours = new Set(side.map(({ address }) => address));
  const theirFunders = new Set(side.flatMap(({ funder }) => privateOf(funder ? [funder] : [])));
  const theirPartners = new Set([...ours, ...side.flatMap(({ partners }) => privateOf(partners))]);
  const nothingOf = (one: ReviewerFacts, entries: readonly ReviewEntry[]): NothingKey | null => {
    if (ours.has(one.address)) return "own";
    if (one.funder && ours.has(one.funder.address)) return "own_money";
    if (one.funder && theirFunders.has(one.funder.address) && privateOf(one.partners).some((p) => theirPartners.has(p)))
      return "own_circle";
    if (entries.every(({ revoked }) => revoked)) return "taken_back";
    return standing(entries).length === 0 ? "no_scale" : null;
  };
  return reviewers
    .map((one) => {
      const entries = (entriesOf.get(one.address) ?? []).toSorted(byIndex);
      return { facts: one, entries, nothing: nothingOf(one, entries), standing: standingOf(one) };
    })
    .sort((a, b) => (a.facts.address < b.facts.address ? -1 : 1));
}

/** The weight of each reviewer that counts. @param voiceOf the cluster, or the reviewer itself */
function weightsOf(counting: readonly Voice[], voiceOf: (voice: Voice) => string): Map<string, number> {
  const shares = (voices: readonly Voice[]): [string, number][] =>
    [...Map.groupBy(voices, voiceOf).values()].flatMap((members) => {
      const strongest = Math.max(...members.map(({ standing: { weight } }) => weight));
      const all = members.reduce((sum, { standing: { weight } }) => sum + weight, 0);
      return members.map(({ facts, standing: { weight } }): [string, number] => [
        facts.address,
        (weight * strongest) / all,
      ]);
    });
  const total = (all: readonly [string, number][]) => all.reduce((sum, [, weight]) => sum + weight, 0);
  const proven = shares(counting.filter(({ standing: { proof } }) => proof));
  const others = shares(counting.filter(({ standing: { proof } }) => !proof));
  const share = others.length === 0 ? 0 : Math.min(1, (CROWD * total(proven)) / total(others));
  return new Map([...proven, ...others.map(([address, weight]): [string, number] => [address, weight * share])]);
}

/** The entries of one reviewer with their weights and reasons. */
function weighed(
  { facts, nothing, entries, standing: { key } }: Voice,
  weight: number,
  clusterOf: ReadonlyMap<string, Cluster>,
): WeighedReview[] {
  const cluster = clusterOf.get(facts.address);
  const reason = (evidence: Reason["evidence"]): Reason => ({ evidence, says: saysOf(evidence) });
  const shared = (cluster?.shares ?? []).map((evidence) => {
    const others = cluster!.reviewers.length - 1;
    return {
      evidence,
      says: `It and ${others} other reviewer${others === 1 ? "" : "s"} count as one: some of them ${saysOf(evidence)}.`,
    };
  });
  const counted = standing(entries).length;
  return entries.map((entry) => {
    const lost = entry.revoked ? "taken_back" : entry.value === null ? "no_scale" : null;
    const why = nothing ?? lost ?? (weight === 0 ? "no_proof_beside" : null);
    return {
      reviewer: facts.address,
      index: entry.index,
      weight: why === null ? weight / counted : 0,
      cluster: cluster?.id ?? null,
      reasons: [...(why === null ? [] : [reason(why)]), reason(key), ...shared],
    };
  });
}

/** The entries that were not taken back and have a value. */
const standing = (entries: readonly ReviewEntry[]): ReviewEntry[] =>
  entries.filter(({ revoked, value }) => !revoked && value !== null);

const mean = (entries: readonly ReviewEntry[]): number =>
  entries
    .map(({ value }) => value!)
    .sort((a, b) => a - b)
    .reduce((sum, value) => sum + value, 0) / entries.length;

/** Sums of floats may end a little beside their range. */
const bounded = (value: number): number => Math.min(100, Math.max(0, value));

const byIndex = (a: ReviewEntry, b: ReviewEntry): number =>
  a.index.length - b.index.length || (a.index < b.index ? -1 : a.index > b.index ? 1 : 0);
