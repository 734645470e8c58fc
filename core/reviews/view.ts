/** The API's view of an agent's reviews with what they are worth. */
import { array, object, z } from "zod";
import { checksum } from "../addresses.ts";
import { decimalText, MAX_URI, type Review } from "../directory/reviews.ts";
import { isoSeconds } from "../times.ts";
import { usdcText } from "../units-text.ts";
import { count } from "../views/fields.ts";
import { type FileState, type ProofState, saysOfFile, saysOfProof } from "./feedback-files.ts";
import { RULES_VERSION, type SharedKey, saysOf } from "./rules.ts";
import { type Dimension, type ReviewerWeight, type ReviewStats, reasonsOf, weightOf } from "./stats.ts";

/** Clusters that are shown, the largest first. */
export const MAX_CLUSTERS = 50;

type Cluster = { id: string; size: number; shares: SharedKey[] };
/** As they are stored. */
export type SummaryStats = Pick<ReviewStats, "raw" | "adjusted" | "inflation" | "voices"> & {
  reviewers: number;
  low: number;
  high: number;
};
type Stats = SummaryStats & {
  rules: number;
  crowd: number;
  clusters: Cluster[];
  dimensions: Dimension[] | null;
  computedAt: Date;
};

const tenth = (value: number): number => Math.round(10 * value) / 10;
const orNull = (value: number | null) => (value === null ? null : tenth(value));

const percent = z.number().min(0).max(100);
/** Without what it rests on. */
export const reviewSummarySchema = object({
  raw: percent.nullable().meta({
    description: "The mean of all unrevoked reviews whose tag has a scale, whoever wrote them; null without any",
  }),
  adjusted: percent.nullable().meta({
    description: "The mean by weight; null where no reviewer has proof behind it: then nothing is known, good or bad",
  }),
  interval: object({ low: percent, high: percent }).meta({
    description: "Where `adjusted` would be if one more reviewer with proof said 0, or 100",
  }),
  inflation: z
    .number()
    .min(-100)
    .max(100)
    .nullable()
    .meta({ description: "`raw` less `adjusted`; null where either is" }),
  reviewers: count.meta({ description: "Accounts that wrote, those that took all of it back among them" }),
  voices: count.meta({ description: "Independent voices among those that count: a cluster is one" }),
}).meta({ id: "ReviewSummary" });
export type ReviewSummary = z.output<typeof reviewSummarySchema>;

/** What the reviews of an agent are worth, without what it rests on. */
export const reviewSummaryView = (stats: SummaryStats | null): ReviewSummary => ({
  raw: orNull(stats?.raw ?? null),
  adjusted: orNull(stats?.adjusted ?? null),
  interval: { low: tenth(stats?.low ?? 0), high: tenth(stats?.high ?? 100) },
  inflation: orNull(stats?.inflation ?? null),
  reviewers: stats?.reviewers ?? 0,
  voices: stats?.voices ?? 0,
});

/**
 * The registrations in the canonical registry that are or were an own agent's, the first first, one at least, and the figures of
 * their reviews together; null before they were weighed.
 */
export type CanonicalReviews = { registry: string; registrations: string[]; stats: SummaryStats | null };

/** The numbers of an own agent's registrations. */
export const registrationsSchema = array(z.string()).meta({
  description:
    "Its numbers there, the first first: of an own agent all that it has or ever had, whose reviews are weighed together",
});

/** Of an own agent. */
export const canonicalReviewsSchema = object({
  registry: z.string(),
  agentId: z.string().meta({ description: "The first of `registrations`" }),
  registrations: registrationsSchema,
  ...reviewSummarySchema.shape,
})
  .nullable()
  .meta({
    id: "CanonicalReviews",
    description:
      "What the reviews of its registrations in the canonical ERC-8004 registry are worth; null without one. No figure is part of the cred score",
  });

/** What the reviews of an own agent are worth; null where it is not registered in the canonical registry. */
export const canonicalReviewsView = (found: CanonicalReviews | null): z.output<typeof canonicalReviewsSchema> =>
  found && {
    registry: found.registry,
    agentId: found.registrations[0]!,
    registrations: found.registrations,
    ...reviewSummaryView(found.stats),
  };

/** The stats; of an agent without reviews that were weighed they say that nothing is known. */
export const reviewStatsView = (stats: Stats | null) => ({
  rules: stats?.rules ?? RULES_VERSION,
  ...reviewSummaryView(stats),
  clusters: (stats?.clusters ?? [])
    .toSorted((a, b) => b.size - a.size || (a.id < b.id ? -1 : 1))
    .slice(0, MAX_CLUSTERS)
    .map(({ id, size, shares }) => ({
      id: checksum(id),
      reviewers: size,
      reasons: shares.map((evidence) => ({ evidence, says: `Some of them ${saysOf(evidence)}.` })),
    })),
  dimensions: (stats?.dimensions ?? []).map(({ tag, reviews, raw, adjusted }) => {
    return { tag, reviews, raw: orNull(raw), adjusted: orNull(adjusted) };
  }),
  computedAt: stats?.computedAt.toISOString() ?? null,
});

/** A response to a review. Anybody may respond: `own` says that the agent's owner or wallet did. */
export type ReviewResponse = { responder: string; own: boolean; uri: string; at: number; txHash: string };

/** The file that a review names, as it was read; times in Unix seconds. */
export type StoredFeedbackFile = {
  state: FileState;
  why: string | null;
  readAt: number | null;
  proof: {
    state: ProofState;
    txHash: string | null;
    payer: string | null;
    units: string | null;
    paidAt: number | null;
  } | null;
};

/** What is known of a file, and of the payment that it names. */
function fileView(stored: StoredFeedbackFile | null) {
  const { state, why, readAt, proof } = stored ?? { state: "waiting" as const, why: null, readAt: null, proof: null };
  return {
    file: { state, says: why ?? saysOfFile(state), readAt: readAt === null ? null : isoSeconds(readAt) },
    paid: proof && {
      state: proof.state,
      says: saysOfProof(proof.state),
      txHash: proof.txHash,
      payer: proof.payer && checksum(proof.payer),
      usdc: proof.units && usdcText(proof.units),
      at: proof.paidAt === null ? null : isoSeconds(proof.paidAt),
    },
  };
}

type StoredReview = Omit<ReviewerWeight, "address"> & {
  /** The number of the registration that it is about. */
  of: string;
  review: Review;
  scaled: number | null;
  older: boolean;
  /** The first of its responses, the agent's own before others. */
  answers: ReviewResponse[];
  /** Null where none is read, as of a review that names none. */
  file: StoredFeedbackFile | null;
  /** How many entries the reviewer wrote; null where it was not asked for. */
  written: number | null;
};

/** One review with its weight. @param reviewer as it is stored, without its address */
export function weighedReviewView(
  { of, review, scaled, older, answers, file, written, ...reviewer }: StoredReview,
  { crowd, clusters }: Pick<Stats, "crowd" | "clusters">,
) {
  const weighed = { address: review.client, ...reviewer };
  const entry = { revoked: review.revoked, value: scaled, older };
  const cluster = clusters.find(({ id }) => id === reviewer.cluster) ?? null;
  return {
    agentId: of,
    client: checksum(review.client),
    index: review.index,
    value: decimalText(review.value, review.decimals),
    rating: orNull(scaled),
    tags: [review.tag1, review.tag2].filter((tag) => tag !== "").map((tag) => tag.slice(0, 64)),
    uri: review.uri === "" ? null : review.uri.slice(0, MAX_URI),
    ...(review.uri === "" ? { file: null, paid: null } : fileView(file)),
    revoked: review.revoked,
    givenAt: isoSeconds(review.givenAt),
    txHash: review.txHash,
    responses: review.responses,
    answers: answers.map(({ responder, own, uri, at, txHash }) => {
      return { responder: checksum(responder), own, uri: uri === "" ? null : uri, at: isoSeconds(at), txHash };
    }),
    ...(written !== null && { written }),
    weight: Math.round(1e6 * weightOf(entry, weighed, crowd)) / 1e6,
    cluster: cluster && checksum(cluster.id),
    reasons: reasonsOf(entry, weighed, crowd, cluster),
  };
}
