/** The cred report: the score's breakdown with evidence, ranking and advice. Pure; the receipt is sent with it. */
import { array, object, z } from "zod";
import { checksum } from "../../addresses.ts";
import type { AgentFacts, Narrative } from "../../agents/facts.ts";
import { mergeNarrative, NARRATIVE_FIELDS } from "../../agents/profile.ts";
import { incomeWindowSchema, jobWindowSchema, paidWorkView } from "../../income/view.ts";
import { tokenLink, txLink } from "../../links.ts";
import { mintOriginAt } from "../../mints/mint-origins.ts";
import { UNPAID } from "../../payments/prices.ts";
import { byProofPlatform, PROOF_PLATFORMS } from "../../proof-platforms.ts";
import { reviewSummarySchema } from "../../reviews/view.ts";
import { type AdviceState, EVIDENCE_SOURCES, type EvidenceContext, type Signal } from "../../signals/signal.ts";
import type { RawSignals, SignalKey } from "../../signals/signals.ts";
import { lengthOf } from "../../text.ts";
import { isoSeconds } from "../../times.ts";
import type { Site } from "../../views/agent.ts";
import { verificationBadges } from "../../views/agent-report.ts";
import { fraction, liveness } from "../../views/discovery.ts";
import {
  address,
  bytes32,
  type Caveat,
  count,
  epochNumber,
  membersOf,
  mintOrigin,
  moment,
  reservations,
  score,
  shapeOf,
  tier,
  tierLabel,
  tokenId,
  txHash,
  url,
  usdc,
  walletConfirmed,
} from "../../views/fields.ts";
import type { Offering } from "../../views/offering.ts";
import { ageDays, type Breakdown, breakdownOf, SIGNALS, scoreOf, shownCred } from "../cred.ts";
import { openPoints } from "../open-points.ts";
import { TIERS, tierWord } from "../tiers.ts";

type Recommendation = {
  action: string;
  /** The exact points, and the score before and after: "+3.75 points: 54 → 58". */
  impact: string;
  priority: "high" | "medium" | "low";
  /** Method and path. */
  endpoint?: string;
};

const MAX_RECOMMENDATIONS = 8;

/** At most eight, greatest gain first. @param raw the raw values behind the score */
export function recommendations(
  facts: AgentFacts,
  raw: RawSignals,
  state: AdviceState,
  signals: readonly Signal[] = SIGNALS,
): Recommendation[] {
  const score = scoreOf(raw, signals);
  return openPoints(facts, raw, state, signals)
    .slice(0, MAX_RECOMMENDATIONS)
    .map(({ action, gain, scoreAfter, endpoint }) => ({
      action,
      impact: `+${gain} ${gain === 1 ? "point" : "points"}: ${score} → ${scoreAfter}`,
      priority: gain >= 10 ? "high" : gain >= 3 ? "medium" : "low",
      endpoint,
    }));
}

/** Inputs of a signal's evidence in addition to the facts. */
const evidenceContext = (
  { tokenId }: AgentFacts,
  { explorer, contract }: Site,
  { now, reservations }: { now: Date; reservations: readonly Caveat[] },
): EvidenceContext => ({
  now,
  caveat: (about) =>
    reservations
      .filter((each) => each.about === about)
      .map(({ says }) => `. ${says}`)
      .join("")
      .replaceAll(/\.(?=\. )|\.$/g, ""),
  tokenLink: tokenLink(explorer, contract, tokenId),
  txLink: (hash) => txLink(explorer, hash),
  checksum,
});

/** Number of an agent's sessions by outcome, as holders of an API key reported them. They do not change the score. */
export type SessionCounts = { success: number; failure: number; partial: number };

export type CredReportInput = AdviceState & {
  reportId: string;
  rank: number;
  totalAgents: number;
  sessions: SessionCounts;
  /** Amount in USDC, decimal. */
  price: string;
  /** Reference of the payment; `UNPAID` when the report cost nothing. */
  payment: string;
  reservations: readonly Caveat[];
  /** What the agent's page shows of it; null before the directory has the agent. */
  offering: Pick<Offering, "trust" | "reviews" | "payments" | "jobs" | "background"> | null;
  /** Undefined while no epoch has the agent. */
  onchain?: ReportEpoch | undefined;
};

/** Marks of a report: the wallet, each platform and the exchange. */
const VERIFICATIONS = PROOF_PLATFORMS.length + 2;

const part = object({
  label: z.string(),
  description: z.string(),
  weight: z.number().min(0).max(1),
  rawScore: score,
  weightedScore: z.number().min(0).max(100),
  maxWeightedScore: z.number().min(0).max(100),
  evidence: array(
    object({
      source: z.enum(EVIDENCE_SOURCES),
      detail: z.string(),
      reference: z.string().optional().meta({ description: "A link to the explorer, or an attestation's UID" }),
    }).meta({ id: "Evidence" }),
  ),
}).meta({ id: "ScorePart" });

/** What a receipt is about. */
export const reportSchema = object({
  reportId: z.string(),
  generatedAt: moment,
  paidReport: z.boolean().meta({ description: "Whether money was paid for it; false where reports cost nothing" }),
  price: usdc,
  payment: z.string().meta({ description: "Reference of the payment; free when there was no price" }),
  agent: object({
    tokenId,
    name: z.string(),
    framework: z.string(),
    owner: address,
    agentAddress: address,
    walletConfirmed,
    mintOrigin,
    mintedAt: moment,
    ageDays: count,
    soulbound: z.boolean(),
    verified: z.boolean(),
    generation: count,
    version: z.string(),
    mutationCount: count,
    points: count,
  }),
  credScore: object({
    score,
    tier,
    tierLabel,
    rank: z.int().min(1).meta({ description: "1 is best, ties share a rank" }),
    totalAgents: count,
    percentile: z.int().min(0).max(100),
    computedAt: moment,
  }),
  scoreBreakdown: object(
    shapeOf(
      SIGNALS.map(({ key }) => key),
      part,
    ),
  ),
  totalWeight: z.literal(1),
  verifications: object({
    siwa: z.boolean(),
    ...byProofPlatform(() => z.boolean()),
    coinbase: z.boolean(),
    total: z.int().min(0).max(VERIFICATIONS),
    max: z.literal(VERIFICATIONS),
  }),
  reservations: reservations.optional().meta({ description: "Left out in reports from before there were any" }),
  narrativeAnalysis: object({
    completeness: z.string().regex(/^[0-4]\/4$/),
    fields: object(shapeOf(NARRATIVE_FIELDS, object({ present: z.boolean(), length: count }))),
  }),
  sessions: object({ success: count, failure: count, partial: count }).meta({
    description: "Outcomes reported by holders of an API key; they do not move the score",
  }),
  evidence: object({
    reviews: reviewSummarySchema.nullable(),
    payments: incomeWindowSchema.nullable().meta({ description: "Of the last 90 days; null where none are known" }),
    jobs: jobWindowSchema.nullable().meta({ description: "Of the last 90 days; null where none are known" }),
    liveness,
    offerCount: count,
    trust: fraction.nullable(),
  })
    .optional()
    .meta({
      description:
        "What `GET /api/terminal/agent/{ref}/offers` said of it at that time: none of it moves the score. Left out in reports from before there was any, and of an agent that the directory does not have yet",
    }),
  externalScores: object({ ethos: z.int().nullable().meta({ description: "null = not known" }) }),
  recommendations: array(
    object({
      action: z.string(),
      impact: z.string().meta({ examples: ["+3.75 points: 54 → 58"] }),
      priority: z.enum(["high", "medium", "low"]),
      endpoint: z.string().optional(),
    }),
  )
    .max(8)
    .meta({ description: "Greatest gain first" }),
  tierScale: array(object({ tier, label: tierLabel, from: score, to: score })),
  explorer: url,
  onchain: object({
    epoch: epochNumber,
    chainId: z.int().min(1),
    contract: address,
    root: bytes32,
    transaction: txHash,
    publishedAt: moment,
    score,
  })
    .optional()
    .meta({ description: "The agent's score in the latest epoch on chain; left out while no epoch has the agent" }),
});
export type CredReportView = z.output<typeof reportSchema>;
/** The agent's score in the latest epoch that is on chain. */
export type ReportEpoch = NonNullable<CredReportView["onchain"]>;

export function credReportView(
  facts: AgentFacts,
  input: CredReportInput,
  site: Site,
  now: Date,
  signals: readonly Signal[] = SIGNALS,
): CredReportView {
  const { score, raw, tier, computedAt } = shownCred(facts, now, signals);
  const { reportId, rank, totalAgents, sessions, price, payment, reservations, offering, onchain } = input;
  const shares = breakdownOf(raw, signals);
  const { siwa, coinbase, ...accounts } = verificationBadges(facts, now);
  const marks = { siwa, ...byProofPlatform(({ key }) => accounts[key].verified), coinbase };
  return {
    reportId,
    generatedAt: now.toISOString(),
    paidReport: payment !== UNPAID,
    price,
    payment,
    agent: membersOf(reportSchema.shape.agent, {
      ...facts,
      owner: checksum(facts.owner),
      agentAddress: checksum(facts.agentAddress),
      mintOrigin: mintOriginAt(facts.origin).name,
      mintedAt: isoSeconds(facts.mintedAt),
      ageDays: ageDays(facts, now),
    }),
    credScore: {
      score,
      tier: tierWord(tier),
      tierLabel: tier.label,
      rank,
      totalAgents,
      percentile: percentileOf(rank, totalAgents),
      computedAt,
    },
    scoreBreakdown: scoreBreakdown(facts, shares, signals, evidenceContext(facts, site, { now, reservations })),
    totalWeight: (signals.reduce((sum, { weight }) => sum + weight, 0) / 100) as 1,
    verifications: { ...marks, total: Object.values(marks).filter(Boolean).length, max: Object.keys(marks).length },
    reservations: [...reservations],
    narrativeAnalysis: narrativeAnalysis(mergeNarrative(facts)),
    sessions,
    ...(offering && { evidence: evidenceOf(offering) }),
    externalScores: { ethos: facts.ethosScore },
    recommendations: recommendations(facts, raw, input, signals),
    tierScale: TIERS.map((t) => ({ tier: tierWord(t), label: t.label, from: t.from, to: t.to })),
    explorer: tokenLink(site.explorer, site.contract, facts.tokenId),
    ...(onchain && { onchain }),
  };
}

const evidenceOf = (offering: NonNullable<CredReportInput["offering"]>) => ({
  reviews: offering.reviews,
  ...paidWorkView(offering),
  liveness: offering.background.liveness,
  offerCount: offering.background.offerCount + offering.background.selfDeclaredCount,
  trust: offering.trust?.value ?? null,
});

const scoreBreakdown = (
  facts: AgentFacts,
  shares: Breakdown,
  signals: readonly Signal[],
  context: EvidenceContext,
): CredReportView["scoreBreakdown"] =>
  Object.fromEntries(
    signals.map(({ key, label, description, weight, evidence }) => [
      key,
      {
        label,
        description,
        ...shares[key as SignalKey],
        maxWeightedScore: weight,
        evidence: evidence(facts, context),
      },
    ]),
  ) as CredReportView["scoreBreakdown"];

/** 100 for the best agent, near 0 for the last. Never below 0: `total` may not yet include an agent just registered. */
const percentileOf = (rank: number, total: number): number =>
  Math.max(0, Math.round(100 * (1 - (rank - 1) / Math.max(1, total))));

function narrativeAnalysis(narrative: Narrative): CredReportView["narrativeAnalysis"] {
  const fields = Object.fromEntries(
    NARRATIVE_FIELDS.map((field) => {
      const length = lengthOf(narrative[field].trim());
      return [field, { present: length > 0, length }];
    }),
  ) as Record<keyof Narrative, { present: boolean; length: number }>;
  const present = Object.values(fields).filter((field) => field.present).length;
  return { completeness: `${present}/${NARRATIVE_FIELDS.length}`, fields };
}
