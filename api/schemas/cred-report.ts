/** The cred report and its receipt as the API shows them. */

import { z } from "zod";
import { NARRATIVE_FIELDS } from "../../core/agents/profile.ts";
import { SIGNALS } from "../../core/cred/cred.ts";
import { RECEIPT_PRIMARY_TYPE } from "../../core/cred/report/receipt.ts";
import { byProofPlatform, PROOF_PLATFORMS } from "../../core/proof-platforms.ts";
import { EVIDENCE_SOURCES } from "../../core/signals/signal.ts";
import {
  address,
  count,
  epochNumber,
  mintOrigin,
  moment,
  reservations,
  score,
  tier,
  tierLabel,
  tokenId,
  txHash,
  url,
  usdc,
  walletConfirmed,
} from "./fields.ts";

/** Marks of a report: the wallet, each platform and the exchange. */
const VERIFICATIONS = PROOF_PLATFORMS.length + 2;

const shapeOf = <T extends z.ZodType>(keys: readonly string[], value: T) =>
  z.object(Object.fromEntries(keys.map((key) => [key, value])));

const part = z
  .object({
    label: z.string(),
    description: z.string(),
    weight: z.number().min(0).max(1),
    rawScore: score,
    weightedScore: z.number().min(0).max(100),
    maxWeightedScore: z.number().min(0).max(100),
    evidence: z.array(
      z
        .object({
          source: z.enum(EVIDENCE_SOURCES),
          detail: z.string(),
          reference: z.string().optional().meta({ description: "A link to the explorer, or an attestation's UID" }),
        })
        .meta({ id: "Evidence" }),
    ),
  })
  .meta({ id: "ScorePart" });

const reportFields = {
  reportId: z.string(),
  generatedAt: moment,
  paidReport: z.boolean().meta({ description: "Whether money was paid for it; false where reports cost nothing" }),
  price: usdc,
  payment: z.string().meta({ description: "Reference of the payment; free when nothing was asked for" }),
  agent: z.object({
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
  credScore: z.object({
    score,
    tier,
    tierLabel,
    rank: z.int().min(1).meta({ description: "1 is best, ties share a rank" }),
    totalAgents: count,
    percentile: z.int().min(0).max(100),
    computedAt: moment,
  }),
  scoreBreakdown: shapeOf(
    SIGNALS.map(({ key }) => key),
    part,
  ),
  totalWeight: z.literal(1),
  verifications: z.object({
    siwa: z.boolean(),
    ...byProofPlatform(() => z.boolean()),
    coinbase: z.boolean(),
    total: z.int().min(0).max(VERIFICATIONS),
    max: z.literal(VERIFICATIONS),
  }),
  reservations: reservations.optional().meta({ description: "Left out in reports from before there were any" }),
  narrativeAnalysis: z.object({
    completeness: z.string().regex(/^[0-4]\/4$/),
    fields: shapeOf(NARRATIVE_FIELDS, z.object({ present: z.boolean(), length: count })),
  }),
  sessions: z
    .object({ success: count, failure: count, partial: count })
    .meta({ description: "Outcomes reported by holders of an API key; they do not move the score" }),
  externalScores: z.object({ ethos: z.int().nullable().meta({ description: "null = not known" }) }),
  recommendations: z
    .array(
      z.object({
        action: z.string(),
        impact: z.string().meta({ examples: ["+3.75 points: 54 → 58"] }),
        priority: z.enum(["high", "medium", "low"]),
        endpoint: z.string().optional(),
      }),
    )
    .max(8)
    .meta({ description: "Greatest gain first" }),
  tierScale: z.array(z.object({ tier, label: tierLabel, from: score, to: score })),
  explorer: url,
  onchain: z
    .object({
      epoch: epochNumber,
      chainId: z.int().min(1),
      contract: address,
      root: z.string().regex(/^0x[0-9a-f]{64}$/),
      transaction: txHash,
      publishedAt: moment,
      score,
    })
    .optional()
    .meta({ description: "The agent's score in the latest epoch on chain; left out while no epoch has the agent" }),
};

const receipt = z
  .object({
    reportId: z.string(),
    payload: z.string().meta({ description: "The report as the JSON text whose keccak256 the receipt binds" }),
    signature: z.string().regex(/^0x[0-9a-f]{130}$/),
    algorithm: z.literal("EIP-712"),
    signer: address,
    domain: z.object({
      name: z.string(),
      version: z.literal("1"),
      chainId: z.int(),
      verifyingContract: address,
    }),
    types: z.record(z.string(), z.array(z.object({ name: z.string(), type: z.string() }))),
    primaryType: z.literal(RECEIPT_PRIMARY_TYPE),
    message: z.object({
      reportId: z.string(),
      tokenId: z.string().regex(/^\d+$/),
      score,
      tier,
      payloadHash: z.string().regex(/^0x[0-9a-f]{64}$/),
      generatedAt: z.string().regex(/^\d+$/).meta({ description: "Milliseconds since 1970" }),
      payment: z.string(),
    }),
    verifyEndpoint: url,
  })
  .meta({ id: "Receipt" });

export const credReportSchema = z.object({ ...reportFields, receipt }).meta({ id: "CredReport" });

export const receiptCheckSchema = z
  .object({
    valid: z.boolean(),
    report: z.object(reportFields).nullable().meta({ description: "What the receipt is about; null when not valid" }),
  })
  .meta({ id: "ReceiptCheck" });
