/** The badges of a row of the directory, shown with its fields. Keys are in snake_case, like the row's. */
import { array, object, z } from "zod";
import type { Liveness } from "../offers/liveness.ts";
import { type SourceKind, spokenOf } from "../offers/source-kinds.ts";
import { byProofPlatform } from "../proof-platforms.ts";
import { type ReviewSummary, reviewSummarySchema } from "../reviews/view.ts";
import { named } from "../views/discovery.ts";
import { count, moment, score } from "../views/fields.ts";
import { PROTOCOLS } from "./protocols.ts";

export type RowBadges = {
  id: number;
  score: number;
  walletProven: boolean;
  x402Supported: boolean;
  /** Platforms with a valid proof. */
  proofs: string[];
  /** The owner has a valid attestation of the exchange now. */
  coinbase: boolean;
  /** Names of its services, lower case, without repetition. */
  services: string[];
  /** Kinds of its endpoints that never answered as they should. */
  unspoken: SourceKind[];
  /**
   * Feedback of clients in the ERC-8004 reputation registry that was not revoked, of an own agent about all registrations that
   * it ever had; null for agents outside that registry.
   */
  feedback: { count: number; reviewers: number } | null;
  /** What that feedback is worth; null where there is none, and before it was weighed. */
  reviews: ReviewSummary | null;
  /** Of an own agent; null for others. */
  framework: string | null;
  soulbound: boolean | null;
  /** Whether its endpoints answered lately; null while none was checked. */
  liveness: Pick<Liveness, "value" | "says" | "named"> | null;
  /** Time of its last known activity, ISO 8601. */
  activeAt: string | null;
  /** Changes of the score, oldest first; empty where no history is kept. */
  points: { at: string; score: number }[];
  /** The score seven days ago; null when it had none. */
  weekAgo: number | null;
  /** Rank by score among all agents seven days ago, from 1; null when it was below the stored ranks. */
  rankWeekAgo: number | null;
};

export const rowBadgesSchema = object({
  id: z.int().min(1),
  verifications: object({
    siwa: z.boolean(),
    ...byProofPlatform(() => z.boolean()),
    coinbase: z.boolean(),
  }),
  protocols: array(z.enum(PROTOCOLS)),
  feedback: object({ count, reviewers: count })
    .nullable()
    .meta({ description: "In the ERC-8004 reputation registry; null where there is none to be given" }),
  reviews: reviewSummarySchema
    .nullable()
    .meta({ description: "What that feedback is worth; null where there is none, and before it was weighed" }),
  framework: z.string().nullable().meta({ description: "Of an own agent; null for others" }),
  soulbound: z.boolean().nullable().meta({ description: "Of an own agent; null for others" }),
  health: object({ value: z.number().min(0).max(1), says: z.string(), named })
    .nullable()
    .meta({ description: "Whether its endpoints answered lately, 1 while all do; null while none was checked" }),
  active_at: moment.nullable().meta({ description: "The last thing it is known to have done" }),
  change_7d: z.int().nullable().meta({ description: "Of the score; null when there was none a week ago" }),
  rank_7d_ago: z.int().min(1).nullable().meta({
    description: "Its place by score among all agents a week ago; null when it was not among the first 10,000",
  }),
  points: array(object({ at: moment, score })).meta({
    description: "The newest 32 changes of the score, oldest first; own agents only",
  }),
});

export function rowBadgesView(badges: RowBadges): z.output<typeof rowBadgesSchema> {
  return {
    id: badges.id,
    verifications: {
      siwa: badges.walletProven,
      ...byProofPlatform(({ key }) => badges.proofs.includes(key)),
      coinbase: badges.coinbase,
    },
    protocols: spokenOf(badges.services, { unspoken: badges.unspoken, takesX402: badges.x402Supported }),
    feedback: badges.feedback,
    reviews: badges.reviews,
    framework: badges.framework,
    soulbound: badges.soulbound,
    health: badges.liveness && {
      value: badges.liveness.value,
      says: badges.liveness.says,
      named: badges.liveness.named,
    },
    active_at: badges.activeAt,
    change_7d: badges.weekAgo === null ? null : badges.score - badges.weekAgo,
    rank_7d_ago: badges.rankWeekAgo,
    points: badges.points,
  };
}
