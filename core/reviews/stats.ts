/** What the reviews of an agent are worth: raw and adjusted value, an interval, the reviewers behind it, and why each review counts how much. */
import { type Cluster, clustersOf } from "./clusters.ts";
import type { ReviewEntry, ReviewerFacts, ReviewsFacts } from "./facts.ts";
import {
  CROWD,
  EVIDENCE_LEVELS,
  type EvidenceLevel,
  evidenceLevelOf,
  MAX_DIMENSIONS,
  type NothingKey,
  RULES_VERSION,
  SCALES,
  type SharedKey,
  saysOf,
  UNKNOWN_WEIGHT,
} from "./rules.ts";
import { fundersOf, privateOf } from "./traits.ts";

/** A reason with its words. */
export type WeightReason = { evidence: EvidenceLevel | SharedKey | NothingKey; says: string };

export type ReviewerWeight = {
  address: string;
  /** Why nothing that it wrote counts; null where something does. */
  nothing: NothingKey | null;
  evidenceLevel: EvidenceLevel;
  /** What it has of its cluster's weight, 0 to 1: its weight where it has proof, to be multiplied by `crowd` otherwise. */
  share: number;
  /** The id of its cluster; null where it shares too little with the others. */
  cluster: string | null;
  /** How many of its entries divide its weight. */
  entries: number;
};

/** What the reviews with one tag say. */
export type Dimension = {
  tag: string;
  /** Entries that were not taken back, of all reviewers. */
  reviews: number;
  /** Their mean, and their mean by weight; null as in `ReviewStats`, and both where the tag has no scale. */
  raw: number | null;
  adjusted: number | null;
};

export type ReviewStats = {
  rules: number;
  /** The mean of the entries of all reviewers that were not taken back, 0 to 100; null without any. */
  raw: number | null;
  /** The mean by weight; null where no reviewer has proof behind it. */
  adjusted: number | null;
  /** Where the adjusted value would be if one more reviewer with proof said 0, or 100. */
  interval: [number, number];
  /** Number of clusters among the entries that count, and of reviewers in none. */
  voices: number;
  /** The weight of a reviewer without proof for each unit of its share, 0 to 1. */
  crowd: number;
  clusters: Cluster[];
  dimensions: Dimension[];
  /** Raw less adjusted; null where either is. */
  inflation: number | null;
  /** In the order of their addresses. */
  reviewers: ReviewerWeight[];
};

/** One reviewer on the way to its weight. */
type Reviewer = {
  address: string;
  nothing: NothingKey | null;
  level: (typeof EVIDENCE_LEVELS)[number];
  /** The values of its entries that were not taken back, and those of each tag. */
  values: number[];
  byTag: Map<string, number[]>;
};

/**
 * Weighs the reviews of one agent. A function of the facts alone; their order does not matter.
 *
 * A reviewer with proof has the weight of its evidence level. The others divide what the crowd has: `CROWD` of the weight
 * of those with proof, however many they are, so that they move the adjusted value by less than five points. A cluster
 * weighs what its strongest member does. The entries of one reviewer divide its weight.
 */
export function computeReviews(facts: ReviewsFacts): ReviewStats {
  const clusters = clustersOf(facts);
  const clusterIds = new Map(
    clusters.flatMap(({ id, reviewers }) => reviewers.map((address) => [address, id] as const)),
  );
  const reviewers = reviewersOf(facts);
  const counting = reviewers.filter(({ nothing }) => nothing === null);
  const clusterOf = ({ address }: Reviewer) => clusterIds.get(address) ?? address;
  const shares = sharesOf(counting, clusterOf);
  const { crowd, weight, sum } = weighed(
    counting.map(({ address, level, values }) => ({ values, share: shares.get(address)!, proof: level.proof })),
  );
  const everyone = valuesOf(facts.reviews);
  const raw = everyone.length === 0 ? null : mean(everyone);
  const adjusted = weight === 0 ? null : bounded(sum / weight);
  return {
    rules: RULES_VERSION,
    raw,
    adjusted,
    interval: [
      bounded(sum / (weight + UNKNOWN_WEIGHT)),
      bounded((sum + 100 * UNKNOWN_WEIGHT) / (weight + UNKNOWN_WEIGHT)),
    ],
    voices: weight === 0 ? 0 : new Set(counting.map(clusterOf)).size,
    crowd,
    clusters,
    dimensions: dimensionsOf(facts, counting, shares),
    inflation: raw === null || adjusted === null ? null : raw - adjusted,
    reviewers: reviewers.map(({ address, nothing, level, values }) => ({
      address,
      nothing,
      evidenceLevel: level.key,
      share: shares.get(address) ?? 0,
      cluster: clusterIds.get(address) ?? null,
      entries: values.length,
    })),
  };
}

/** What some reviewers say by their weights: the others divide `CROWD` of the weight of those with proof. */
function weighed(reviewers: readonly { values: readonly number[]; share: number; proof: boolean }[]) {
  const total = (with_: boolean) => reviewers.reduce((sum, { share, proof }) => sum + (proof === with_ ? share : 0), 0);
  const others = total(false);
  const crowd = others === 0 ? 0 : Math.min(1, (CROWD * total(true)) / others);
  let [weight, sum] = [0, 0];
  for (const { values, share, proof } of reviewers) {
    const own = share * (proof ? 1 : crowd);
    weight += own;
    sum += own * mean(values);
  }
  return { crowd, weight, sum };
}

/**
 * The tags of entries that were not taken back: those with a scale, then those that most reviewers used. So a stranger's
 * tags push out none with a scale, and one account's many reviews push out no tag of several accounts. A reviewer has its whole share in each tag that it used.
 */
function dimensionsOf(
  { reviews }: ReviewsFacts,
  counting: readonly Reviewer[],
  shares: ReadonlyMap<string, number>,
): Dimension[] {
  const valid = Map.groupBy(
    reviews.filter(({ revoked }) => !revoked),
    ({ tag }) => tag,
  );
  const placeOf = (tag: string, of: readonly ReviewEntry[]) =>
    Object.hasOwn(SCALES, tag) ? Number.POSITIVE_INFINITY : new Set(of.map(({ reviewer }) => reviewer)).size;
  return [...valid]
    .map(([tag, entries]) => ({ tag, entries, place: placeOf(tag, entries) }))
    .sort((a, b) => (a.place === b.place ? (a.tag < b.tag ? -1 : 1) : b.place - a.place))
    .slice(0, MAX_DIMENSIONS)
    .map(({ tag, entries }) => {
      const { weight, sum } = weighed(
        counting.flatMap(({ address, level: { proof }, byTag }) => {
          const values = byTag.get(tag);
          return values ? [{ values, share: shares.get(address)!, proof }] : [];
        }),
      );
      const values = valuesOf(entries);
      const raw = values.length === 0 ? null : mean(values);
      return { tag, reviews: entries.length, raw, adjusted: weight === 0 ? null : bounded(sum / weight) };
    });
}

/** The reviewers in the order of their addresses, each with its values and whether it counts at all. */
function reviewersOf({ side, reviewers, reviews }: ReviewsFacts): Reviewer[] {
  const entriesOf = Map.groupBy(reviews, ({ reviewer }) => reviewer);
  const ours = new Set(side.map(({ address }) => address));
  const theirFunders = new Set(side.flatMap(({ funder }) => privateOf([funder])));
  const theirPartners = new Set([...ours, ...side.flatMap(({ partners }) => privateOf(partners))]);
  const nothingOf = (one: ReviewerFacts, entries: readonly ReviewEntry[]): NothingKey | null => {
    if (ours.has(one.address)) return "own";
    const [funder] = fundersOf(one).funder;
    if (funder && ours.has(funder)) return "own_money";
    if (funder && theirFunders.has(funder) && privateOf(one.partners).some((p) => theirPartners.has(p)))
      return "own_circle";
    if (entries.every(({ revoked }) => revoked)) return "taken_back";
    return valuesOf(entries).length === 0 ? "no_scale" : null;
  };
  return reviewers
    .map((one) => {
      const entries = entriesOf.get(one.address) ?? [];
      const nothing = nothingOf(one, entries);
      const byTag = new Map(
        [...Map.groupBy(entries, ({ tag }) => tag)].flatMap(([tag, of]) => {
          const values = valuesOf(of);
          return values.length === 0 ? [] : [[tag, values] as const];
        }),
      );
      return { address: one.address, nothing, level: evidenceLevelOf(one), values: valuesOf(entries), byTag };
    })
    .sort((a, b) => (a.address < b.address ? -1 : 1));
}

/** What each reviewer that counts has of the weight of its cluster. @param clusterOf the cluster, or the reviewer itself */
function sharesOf(counting: readonly Reviewer[], clusterOf: (reviewer: Reviewer) => string): Map<string, number> {
  const clusters = [...Map.groupBy(counting, clusterOf).values()];
  return new Map(
    clusters.flatMap((members) => {
      const strongest = Math.max(...members.map(({ level }) => level.weight));
      const all = members.reduce((sum, { level }) => sum + level.weight, 0);
      return members.map(({ address, level }) => [address, (level.weight * strongest) / all] as const);
    }),
  );
}

/** An entry as it is shown; `older`: not among the `MAX_ENTRIES` newest of its reviewer. */
export type WeighedEntry = Pick<ReviewEntry, "revoked" | "value"> & { older?: boolean };

/** The weight of one entry, 0 to 1. @param crowd of the agent */
export function weightOf(
  entry: WeighedEntry,
  { nothing, evidenceLevel, share, entries }: ReviewerWeight,
  crowd: number,
): number {
  if (nothing !== null || entry.older || entry.revoked || entry.value === null) return 0;
  return (share * (hasProof(evidenceLevel) ? 1 : crowd)) / entries;
}

/**
 * Why an entry counts how much, the most important first.
 * @param cluster of its reviewer, with the number of its reviewers
 */
export function reasonsOf(
  entry: WeighedEntry,
  reviewer: ReviewerWeight,
  crowd: number,
  cluster: { size: number; shares: readonly SharedKey[] } | null,
): WeightReason[] {
  const { nothing, evidenceLevel } = reviewer;
  const lost = entry.revoked ? "taken_back" : entry.value === null ? "no_scale" : entry.older ? "older" : null;
  const why = nothing ?? lost ?? (hasProof(evidenceLevel) || crowd > 0 ? null : "no_proof_beside");
  const keys = [...(why === null ? [] : [why]), evidenceLevel];
  const others = `${(cluster?.size ?? 0) - 1} other reviewer${cluster?.size === 2 ? "" : "s"}`;
  return [
    ...keys.map((evidence) => ({ evidence, says: saysOf(evidence) })),
    ...(cluster?.shares ?? []).map((evidence) => ({
      evidence,
      says: `It and ${others} count as one: some of them ${saysOf(evidence)}.`,
    })),
  ];
}

/** Whether an evidence level has a weight of its own. */
export const hasProof = (level: EvidenceLevel): boolean =>
  EVIDENCE_LEVELS.some(({ key, proof }) => proof && key === level);

/** The values of the entries that were not taken back and have one, in their order. */
const valuesOf = (entries: readonly ReviewEntry[]): number[] =>
  entries.flatMap(({ revoked, value }) => (revoked || value === null ? [] : [value])).sort((a, b) => a - b);

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Sums of floats may end slightly outside their range. */
const bounded = (value: number): number => Math.min(100, Math.max(0, value));
