/** Referrals and V1 wallets as the API shows them. */
import { z } from "zod";
import { OG_BENEFITS } from "../../core/agents/og-wallets.ts";
import { BONUSES } from "../../core/mints/bonuses.ts";
import { summarySchema } from "../../core/views/agent.ts";
import { address, count, tokenId, url } from "../../core/views/fields.ts";

const code = z.string().meta({ examples: ["atlas-7k2p"] });
const stats = z
  .object({
    totalReferrals: count.meta({ description: "Agents registered with the code" }),
    pointsEarned: count.meta({ description: "Points awarded on chain for them" }),
  })
  .meta({ id: "ReferralStats" });
const isOG = z.boolean().meta({ description: "The code belongs to a wallet that held a V1 identity" });

export const referralSchema = z
  .object({
    tokenId,
    code,
    link: url,
    referrer: z.string().meta({ description: "Name of the agent" }),
    isOG,
    stats,
  })
  .meta({ id: "Referral" });

export const referredSchema = z
  .object({
    tokenId,
    total: count.meta({ description: "All agents that came by the code" }),
    limit: z.int().min(1),
    agents: z.array(summarySchema),
    nextBefore: tokenId.nullable().meta({ description: "`before` of the next page; null on the last" }),
  })
  .meta({ id: "ReferredAgents" });

export const referralCodeSchema = z
  .object({
    valid: z.literal(true),
    code,
    referrer: z.string().meta({ description: "Name of the agent the code belongs to" }),
    bonusPoints: z.literal(BONUSES.minter.points).meta({ description: "For the agent that is registered with it" }),
    isOG,
    stats,
  })
  .meta({ id: "ReferralCode" });

export const ogSchema = z
  .union([
    z.object({ isOG: z.literal(false), address }),
    z.object({
      isOG: z.literal(true),
      address,
      v1Name: z.string(),
      referralCode: code,
      referralLink: url,
      benefits: z.object({
        freeMint: z.literal(OG_BENEFITS.freeMint),
        bonusPoints: z.literal(OG_BENEFITS.bonusPoints),
        ogTrait: z.literal(OG_BENEFITS.ogTrait),
      }),
    }),
  ])
  .meta({ id: "OgStatus" });
