/** Report and verifications as the API shows them. */

import { z } from "zod";
import {
  byProofPlatform,
  type NumericIdOf,
  type ProofPlatform,
  type ProofPlatformKey,
} from "../../core/proof-platforms.ts";
import { address, count, moment, reservations, score, tier, tokenId, txHash, url, walletConfirmed } from "./fields.ts";
import { canonicalReviewsSchema } from "./reviews.ts";

const amount = z.string().regex(/^\d+(\.\d+)?$/);
const balance = amount.nullable().meta({ description: "Decimal; null while the chain cannot be asked" });

const proven = z
  .object({ verified: z.boolean(), handle: z.string().optional(), username: z.string().optional() })
  .meta({ id: "ProvenAccount", description: "Whether an account is proven now, and which" });

export const agentReportSchema = z
  .object({
    tokenId,
    name: z.string(),
    walletAddress: address,
    walletConfirmed,
    owner: address,
    balances: z
      .object({
        eth: balance,
        usdc: balance,
        linkedToken: z
          .object({
            contractAddress: z.string(),
            address: z.string().meta({ description: "As contractAddress" }),
            chain: z.string(),
            name: z.string(),
            symbol: z.string(),
            balance,
            formatted: amount.nullable().meta({ description: "As balance" }),
            decimals: z.int().min(0).max(255).nullable().meta({ description: "null where the balance is" }),
          })
          .nullable()
          .meta({ description: "null without a linked token; only tokens on this chain have a balance" }),
      })
      .meta({ description: "Of the agent's wallet, at most a minute old" }),
    recentTransactions: z
      .array(
        z
          .object({
            hash: txHash,
            from: address,
            to: address.nullable(),
            value: amount.meta({ description: "ETH, decimal" }),
            timestamp: moment,
            method: z
              .string()
              .nullable()
              .meta({ description: "Function called; its selector when it is not known", examples: ["addTrait"] }),
            isError: z.boolean(),
          })
          .meta({ id: "AgentTransaction" }),
      )
      .max(10)
      .meta({ description: "The newest transactions in which something happened to this agent" }),
    verifications: z.object({
      siwa: z.boolean(),
      ...byProofPlatform(() => proven),
      coinbase: z.boolean(),
    }),
    reservations,
    reviews: canonicalReviewsSchema,
    credScore: z.object({
      total: score,
      tier,
      verified: z.boolean(),
      hasPersonality: z.boolean(),
      hasNarrative: z.boolean(),
      traitCount: count,
      points: count,
      soulbound: z.boolean(),
    }),
    points: count,
    rank: z.int().min(1).meta({ description: "By cred; 1 is best, ties share a rank" }),
    totalAgents: count,
    ethosScore: z.int().nullable().meta({ description: "null = not known" }),
    neynarScore: z.number().min(0).max(1).nullable().meta({
      description:
        "Of the agent's wallet, as Neynar's contract on this chain has it: another's opinion, and no part of the cred score. null = none, or not known now",
    }),
    explorer: url,
  })
  .meta({ id: "Report" });

const proof = {
  handle: z.string(),
  username: z.string().meta({ description: "The account's name on the platform" }),
  verifiedAt: moment,
  txHash: txHash.nullable(),
  checkedAt: moment,
  nextCheckAt: moment.nullable().meta({ description: "When it is due to be checked again; null for a lapsed one" }),
  url: url.nullable().meta({ description: "Where the account shows it; null when that is not known" }),
  quote: z
    .string()
    .nullable()
    .meta({
      description:
        "The account's own words around the proof at the last check. Whoever names the agent proves it, also in a warning: read them. null when they are not known",
      examples: ["Auditor of contracts. helixa:7"],
    }),
  status: z
    .enum(["verified", "stale", "lapsed"])
    .meta({ description: "stale: could not be checked of late; lapsed: has vanished and counts no more" }),
  earlierOwner: z.boolean().meta({ description: "It was made under an earlier owner of the token" }),
};

/** The field with the account's id; no field on platforms whose ids people do not know. */
type NumericIdSchema<K extends ProofPlatformKey> =
  NumericIdOf<K> extends Record<infer Name extends string, number> ? Record<Name, z.ZodInt> : unknown;

/** The record of each platform. */
const records = byProofPlatform(({ numericId }: ProofPlatform) =>
  z.object({ ...proof, ...(numericId !== undefined && { [numericId]: z.int().min(0) }) }).nullable(),
) as unknown as { [K in ProofPlatformKey]: z.ZodNullable<z.ZodObject<typeof proof & NumericIdSchema<K>>> };

export const verificationsSchema = z
  .object({
    tokenId,
    expected: z
      .string()
      .meta({ description: "The text that an account shows to prove the agent", examples: ["helixa:7"] }),
    reservations,
    ...records,
  })
  .meta({ id: "Verifications" });
