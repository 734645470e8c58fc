/** The views of an agent in a list and in the leaderboard. */
import { checksum } from "../addresses.ts";
import type { Address, AgentFacts } from "../agents/facts.ts";
import { countedTraits } from "../agents/traits.ts";
import { shownCred } from "../cred/cred.ts";
import { type TierWord, tierWord } from "../cred/tiers.ts";
import { type MintOrigin, mintOriginAt } from "../mints/mint-origins.ts";
import { isoSeconds } from "../times.ts";
import { imageUrl } from "./image.ts";
import type { Site } from "./site.ts";

export type SummaryView = {
  tokenId: number;
  name: string;
  framework: string;
  agentAddress: Address;
  /** False: the token names this wallet, and nothing confirms it. */
  walletConfirmed: boolean;
  owner: Address;
  verified: boolean;
  soulbound: boolean;
  mintOrigin: MintOrigin;
  credScore: number;
  credTier: TierWord;
  tierLabel: string;
  points: number;
  traitCount: number;
  mintedAt: string;
  image: string;
};

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

export type LeaderboardItemView = { rank: number } & SummaryView;

/** @param rank 1 is best; computed by the query; equal scores share a rank */
export const leaderboardItemView = (rank: number, facts: AgentFacts, site: Site, now: Date): LeaderboardItemView => ({
  rank,
  ...summaryView(facts, site, now),
});
