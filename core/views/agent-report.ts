/** The aggregated report of an agent: balances, recent transactions, proofs and ranking. */
import { formatEther } from "viem/utils";
import { z } from "zod";
import { checksum } from "../addresses.ts";
import type { Address, Hex } from "../agents/facts.ts";
import { linkedToken } from "../agents/linked-token.ts";
import { mergeProfile } from "../agents/profile.ts";
import type { OwnedFacts } from "../agents/reservations.ts";
import { countedTraits } from "../agents/traits.ts";
import { agentJobsSchema } from "../commerce/view.ts";
import { shownCred } from "../cred/cred.ts";
import { tierWord } from "../cred/tiers.ts";
import { agentIncomeSchema } from "../income/view.ts";
import { tokenLink } from "../links.ts";
import { canonicalReviewsSchema } from "../reviews/view.ts";
import { isoSeconds } from "../times.ts";
import { type Site, standingView } from "./agent.ts";
import { address, count, moment, reservations, score, tier, tokenId, txHash, url, walletConfirmed } from "./fields.ts";
import { verificationMarks, verificationMarksSchema } from "./verifications.ts";

/** Decimal amounts; null where the chain did not answer. */
export type Balances = {
  eth: string | null;
  usdc: string | null;
  /** Null also when no token is linked. */
  linkedToken: { amount: string; decimals: number } | null;
  /** Neynar's score of the wallet, 0 to 1; null also when it has none. */
  neynarScore: number | null;
};

/** A transaction of the index. */
type RecentTransaction = {
  hash: Hex;
  from: Address;
  to: Address | null;
  valueWei: bigint;
  /** Unix seconds. */
  minedAt: number;
  /** Name of the called function, its selector when the name is unknown, null for a plain transfer of ETH. */
  method: string | null;
};

const amount = z.string().regex(/^\d+(\.\d+)?$/);
const balance = amount.nullable().meta({ description: "Decimal; null while the chain cannot be asked" });

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
    verifications: verificationMarksSchema,
    reservations,
    reviews: canonicalReviewsSchema,
    payments: agentIncomeSchema,
    jobs: agentJobsSchema,
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
type AgentReportView = z.output<typeof agentReportSchema>;

export type AgentReportInput = {
  balances: Balances;
  transactions: readonly RecentTransaction[];
  rank: number;
  totalAgents: number;
};

export function agentReportView(facts: OwnedFacts, input: AgentReportInput, site: Site, now: Date): AgentReportView {
  const { score, tier } = shownCred(facts, now);
  const { eth, usdc, linkedToken: held } = input.balances;
  const { personality, narrative } = mergeProfile(facts);
  const linked = linkedToken(facts.traits);
  return {
    tokenId: facts.tokenId,
    name: facts.name,
    walletAddress: checksum(facts.agentAddress),
    walletConfirmed: facts.walletConfirmed,
    owner: checksum(facts.owner),
    balances: {
      eth,
      usdc,
      linkedToken: linked && {
        contractAddress: linked.contractAddress,
        address: linked.contractAddress,
        chain: linked.chain,
        name: linked.name,
        symbol: linked.symbol,
        balance: held?.amount ?? null,
        formatted: held?.amount ?? null,
        decimals: held?.decimals ?? null,
      },
    },
    recentTransactions: input.transactions.map(transactionView),
    verifications: verificationMarks(facts, now),
    ...standingView(facts, now),
    credScore: {
      total: score,
      tier: tierWord(tier),
      verified: facts.verified,
      hasPersonality: personality !== null,
      hasNarrative: narrative !== null,
      traitCount: countedTraits(facts.traits).length,
      points: facts.points,
      soulbound: facts.soulbound,
    },
    points: facts.points,
    rank: input.rank,
    totalAgents: input.totalAgents,
    ethosScore: facts.ethosScore,
    neynarScore: input.balances.neynarScore,
    explorer: tokenLink(site.explorer, site.contract, facts.tokenId),
  };
}

/** A failed transaction emits no event, so the index has none of them: `isError` is always false. */
const transactionView = ({
  hash,
  from,
  to,
  valueWei,
  minedAt,
  method,
}: RecentTransaction): AgentReportView["recentTransactions"][number] => ({
  hash,
  from: checksum(from),
  to: to && checksum(to),
  value: formatEther(valueWei),
  timestamp: isoSeconds(minedAt),
  method,
  isError: false,
});
