/** The cred report: the score's breakdown with evidence, ranking and advice. Pure; the receipt is sent with it. */
import { checksum } from "../../addresses.ts";
import type { Address, AgentFacts, Narrative } from "../../agents/facts.ts";
import { mergeNarrative, NARRATIVE_FIELDS } from "../../agents/profile.ts";
import type { Reservation } from "../../agents/reservations.ts";
import { tokenLink } from "../../links.ts";
import { type MintOrigin, mintOriginAt } from "../../mints/mint-origins.ts";
import { UNPAID } from "../../payments/prices.ts";
import { byProofPlatform, type ProofPlatformKey } from "../../proof-platforms.ts";
import type { Evidence, EvidenceContext, Signal } from "../../signals/signal.ts";
import type { SignalKey } from "../../signals/signals.ts";
import { lengthOf } from "../../text.ts";
import { isoSeconds } from "../../times.ts";
import type { Site } from "../../views/site.ts";
import { verificationMarks } from "../../views/verifications.ts";
import { ageDays, type Breakdown, breakdownOf, SIGNALS, shownCred } from "../cred.ts";
import { TIERS, type TierWord, tierWord } from "../tiers.ts";
import { type Recommendation, recommendations } from "./advice.ts";
import { evidenceContext } from "./evidence.ts";

/** Number of an agent's sessions by outcome, as holders of an API key reported them. They do not change the score. */
export type SessionCounts = { success: number; failure: number; partial: number };

/** The agent's score in the latest epoch that is on chain. */
export type ReportEpoch = {
  epoch: number;
  chainId: number;
  /** CredRoots, checksummed. */
  contract: string;
  root: string;
  /** The transaction that published the root. */
  transaction: string;
  publishedAt: string;
  score: number;
};

/** Inputs of a report in addition to the facts. */
export type CredReportInput = {
  reportId: string;
  rank: number;
  totalAgents: number;
  sessions: SessionCounts;
  /** Amount in USDC, decimal. */
  price: string;
  /** Reference of the payment; `UNPAID` when the report cost nothing. */
  payment: string;
  reservations: readonly Reservation[];
  /** Undefined while no epoch has the agent. */
  onchain?: ReportEpoch | undefined;
};

export type CredReportView = {
  reportId: string;
  generatedAt: string;
  /** Whether money was paid for this report. */
  paidReport: boolean;
  price: string;
  payment: string;
  agent: {
    tokenId: number;
    name: string;
    framework: string;
    owner: Address;
    agentAddress: Address;
    walletConfirmed: boolean;
    mintOrigin: MintOrigin;
    mintedAt: string;
    ageDays: number;
    soulbound: boolean;
    verified: boolean;
    generation: number;
    version: string;
    mutationCount: number;
    points: number;
  };
  credScore: {
    score: number;
    tier: TierWord;
    tierLabel: string;
    /** 1 is best; equal scores share a rank. */
    rank: number;
    totalAgents: number;
    /** 100 · (1 − (rank − 1) / total), rounded. */
    percentile: number;
    computedAt: string;
  };
  scoreBreakdown: Record<
    SignalKey,
    {
      label: string;
      description: string;
      weight: number;
      rawScore: number;
      weightedScore: number;
      maxWeightedScore: number;
      evidence: Evidence[];
    }
  >;
  totalWeight: number;
  verifications: Record<"siwa" | ProofPlatformKey | "coinbase", boolean> & { total: number; max: number };
  /** Proofs of an earlier owner, and what serves other agents too. They change no score. */
  reservations: Reservation[];
  narrativeAnalysis: {
    /** "n/4". */
    completeness: string;
    fields: Record<keyof Narrative, { present: boolean; length: number }>;
  };
  sessions: SessionCounts;
  externalScores: { ethos: number | null };
  recommendations: Recommendation[];
  tierScale: { tier: TierWord; label: string; from: number; to: number }[];
  explorer: string;
  /** Left out while no epoch has the agent. */
  onchain?: ReportEpoch;
};

export function credReportView(
  facts: AgentFacts,
  input: CredReportInput,
  site: Site,
  now: Date,
  signals: readonly Signal[] = SIGNALS,
): CredReportView {
  const { score, raw, tier, computedAt } = shownCred(facts, now, signals);
  const { reportId, rank, totalAgents, sessions, price, payment, reservations, onchain } = input;
  const shares = breakdownOf(raw, signals);
  const { siwa, coinbase, ...accounts } = verificationMarks(facts, now);
  const marks = { siwa, ...byProofPlatform(({ key }) => accounts[key].verified), coinbase };
  return {
    reportId,
    generatedAt: now.toISOString(),
    paidReport: payment !== UNPAID,
    price,
    payment,
    agent: {
      tokenId: facts.tokenId,
      name: facts.name,
      framework: facts.framework,
      owner: checksum(facts.owner),
      agentAddress: checksum(facts.agentAddress),
      walletConfirmed: facts.walletConfirmed,
      mintOrigin: mintOriginAt(facts.origin).name,
      mintedAt: isoSeconds(facts.mintedAt),
      ageDays: ageDays(facts, now),
      soulbound: facts.soulbound,
      verified: facts.verified,
      generation: facts.generation,
      version: facts.version,
      mutationCount: facts.mutationCount,
      points: facts.points,
    },
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
    totalWeight: signals.reduce((sum, { weight }) => sum + weight, 0) / 100,
    verifications: { ...marks, total: Object.values(marks).filter(Boolean).length, max: Object.keys(marks).length },
    reservations: [...reservations],
    narrativeAnalysis: narrativeAnalysis(mergeNarrative(facts)),
    sessions,
    externalScores: { ethos: facts.ethosScore },
    recommendations: recommendations(facts, raw, signals),
    tierScale: TIERS.map((t) => ({ tier: tierWord(t), label: t.label, from: t.from, to: t.to })),
    explorer: tokenLink(site.explorer, site.contract, facts.tokenId),
    ...(onchain && { onchain }),
  };
}

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
