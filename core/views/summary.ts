/** The views of an agent in a list and in the leaderboard. */
import { z } from "zod";
import { checksum } from "../addresses.ts";
import type { AgentFacts } from "../agents/facts.ts";
import { countedTraits } from "../agents/traits.ts";
import { shownCred } from "../cred/cred.ts";
import { tierWord } from "../cred/tiers.ts";
import { mintOriginAt } from "../mints/mint-origins.ts";
import { isoSeconds } from "../times.ts";
import { address, count, mintOrigin, moment, score, tier, tierLabel, tokenId, url, walletConfirmed } from "./fields.ts";
import { imageUrl } from "./image.ts";
import type { Site } from "./site.ts";

const cred = { credScore: score, credTier: tier, tierLabel };

/** What every view of an agent has. */
export const identity = {
  tokenId,
  name: z.string(),
  framework: z.string().meta({ description: "As registered; on chain it is free text" }),
  agentAddress: address,
  walletConfirmed,
  owner: address,
  verified: z.boolean(),
  soulbound: z.boolean(),
  mintOrigin,
  ...cred,
  points: count,
  mintedAt: moment,
  image: url,
};

export const summarySchema = z.object({ ...identity, traitCount: count }).meta({ id: "AgentSummary" });
export type SummaryView = z.output<typeof summarySchema>;

export function summaryView(facts: AgentFacts, site: Site, now: Date): SummaryView {
  const { score, tier } = shownCred(facts, now);
  return {
    tokenId: facts.tokenId,
    name: facts.name,
    framework: facts.framework,
    agentAddress: checksum(facts.agentAddress),
    walletConfirmed: facts.walletConfirmed,
    owner: checksum(facts.owner),
    verified: facts.verified,
    soulbound: facts.soulbound,
    mintOrigin: mintOriginAt(facts.origin).name,
    credScore: score,
    credTier: tierWord(tier),
    tierLabel: tier.label,
    points: facts.points,
    traitCount: countedTraits(facts.traits).length,
    mintedAt: isoSeconds(facts.mintedAt),
    image: imageUrl(facts, site, now),
  };
}

export const rankedSchema = z
  .object({ rank: z.int().min(1).meta({ description: "1 is best; ties share a rank" }), ...summarySchema.shape })
  .meta({ id: "RankedAgent" });

/** @param rank 1 is best; computed by the query; equal scores share a rank */
export const leaderboardItemView = (
  rank: number,
  facts: AgentFacts,
  site: Site,
  now: Date,
): z.output<typeof rankedSchema> => ({
  rank,
  ...summaryView(facts, site, now),
});
