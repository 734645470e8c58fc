/** The full view of an agent. */
import { checksum } from "../addresses.ts";
import type { Address, AgentFacts, Narrative, Trait } from "../agents/facts.ts";
import { type Listing, listingOf } from "../agents/listing.ts";
import { bareName, withDotAgent } from "../agents/names.ts";
import { mergeProfile, type ShownPersonality } from "../agents/profile.ts";
import { countedTraits, type LinkedToken, linkedToken } from "../agents/traits.ts";
import { exchangeCounts, shownCred, validProofs } from "../cred/cred.ts";
import { type TierWord, tierWord } from "../cred/tiers.ts";
import { tokenLink } from "../links.ts";
import { type MintOrigin, mintOriginAt } from "../mints/mint-origins.ts";
import { isoSeconds } from "../times.ts";
import { imageUrl } from "./image.ts";
import type { Site } from "./site.ts";

export type AgentView = Listing & {
  tokenId: number;
  agentAddress: Address;
  /** False: the token names this wallet, and nothing confirms it. */
  walletConfirmed: boolean;
  name: string;
  framework: string;
  mintedAt: string;
  verified: boolean;
  soulbound: boolean;
  mintOrigin: MintOrigin;
  generation: number;
  version: string;
  mutationCount: number;
  points: number;
  credScore: number;
  credTier: TierWord;
  tierLabel: string;
  /** Null: unknown. */
  ethosScore: number | null;
  owner: Address;
  operator: Address | null;
  /** Name in the .agent namespace, without the ending. */
  agentName: string | null;
  /** Name in the .agent namespace, with the ending. */
  agentDomain: string | null;
  linkedToken: LinkedToken | null;
  personality: ShownPersonality | null;
  narrative: Narrative | null;
  socials: Record<string, string>;
  coinbaseVerified: boolean;
  traits: Trait[];
  image: string;
  explorer: string;
  /** Last indexed block when this was read; null before the first one. */
  indexedBlock: number | null;
};

export function agentView(facts: AgentFacts, site: Site, now: Date, indexedBlock: number | null): AgentView {
  const { score, tier } = shownCred(facts, now);
  const { personality, narrative, socials } = mergeProfile(facts);
  return {
    tokenId: facts.tokenId,
    agentAddress: checksum(facts.agentAddress),
    walletConfirmed: facts.walletConfirmed,
    name: facts.name,
    framework: facts.framework,
    mintedAt: isoSeconds(facts.mintedAt),
    verified: facts.verified,
    soulbound: facts.soulbound,
    mintOrigin: mintOriginAt(facts.origin).name,
    generation: facts.generation,
    version: facts.version,
    mutationCount: facts.mutationCount,
    points: facts.points,
    credScore: score,
    credTier: tierWord(tier),
    tierLabel: tier.label,
    ethosScore: facts.ethosScore,
    owner: checksum(facts.owner),
    operator: facts.operator && checksum(facts.operator),
    agentName: facts.agentName && bareName(facts.agentName),
    agentDomain: facts.agentName && withDotAgent(facts.agentName),
    linkedToken: linkedToken(facts.traits),
    personality,
    narrative,
    socials: withX(facts, socials),
    ...listingOf(facts),
    coinbaseVerified: exchangeCounts(facts, now),
    traits: countedTraits(facts.traits),
    image: imageUrl(facts, site, now),
    explorer: tokenLink(site.explorer, site.contract, facts.tokenId),
    indexedBlock,
  };
}

/** The stated accounts; `x` is the proven account on X where there is one, else the stated one. */
function withX(facts: AgentFacts, socials: Record<string, string>): Record<string, string> {
  const proof = validProofs(facts).find(({ platform }) => platform === "x");
  const x = proof?.handle ?? socials.twitter;
  return x === undefined ? socials : { ...socials, x };
}
