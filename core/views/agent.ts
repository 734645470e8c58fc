/** The full view of an agent. */
import { z } from "zod";
import { checksum } from "../addresses.ts";
import type { AgentFacts } from "../agents/facts.ts";
import { linkedToken } from "../agents/linked-token.ts";
import { listingOf } from "../agents/listing.ts";
import { bareName, withDotAgent } from "../agents/names.ts";
import { mergeProfile } from "../agents/profile.ts";
import { countedTraits } from "../agents/traits.ts";
import { agentJobsSchema } from "../commerce/view.ts";
import { exchangeCounts, shownCred, validProofs } from "../cred/cred.ts";
import { tierWord } from "../cred/tiers.ts";
import { agentIncomeSchema } from "../income/view.ts";
import { tokenLink } from "../links.ts";
import { mintOriginAt } from "../mints/mint-origins.ts";
import { canonicalReviewsSchema } from "../reviews/view.ts";
import { isoSeconds } from "../times.ts";
import { address, block, count, moment, reservations, url } from "./fields.ts";
import { imageUrl } from "./image.ts";
import type { Site } from "./site.ts";
import { identity } from "./summary.ts";

/** A byte on chain; the API itself writes 0 to 10. */
const level = z.int().min(0).max(255).nullable();
const shownPersonalitySchema = z
  .object({
    quirks: z.string(),
    communicationStyle: z.string(),
    values: z.string(),
    humor: z.string(),
    riskTolerance: level,
    autonomyLevel: level,
  })
  .meta({ id: "Personality" });

const shownNarrativeSchema = z
  .object({ origin: z.string(), mission: z.string(), lore: z.string(), manifesto: z.string() })
  .meta({ id: "Narrative" });

const traitSchema = z.object({ name: z.string(), category: z.string(), addedAt: moment }).meta({ id: "Trait" });

export const linkedTokenSchema = z
  .object({ contractAddress: z.string(), chain: z.string(), symbol: z.string(), name: z.string() })
  .meta({ id: "LinkedToken" });

const words = z.array(z.string()).meta({ description: "As stated" });

const listing = {
  services: z
    .record(z.string(), z.looseObject({ url: url.optional() }))
    .meta({ description: "Where the agent can be reached, as stated: by name, each with a `url` or another place" }),
  skills: words,
  domains: words,
  metadata: z
    .looseObject({ acceptedPayments: z.array(z.string()).optional() })
    .meta({ description: "Any JSON, as stated" }),
};

export const agentSchema = z
  .object({
    ...identity,
    generation: count,
    version: z.string(),
    mutationCount: count,
    operator: address.nullable(),
    agentName: z
      .string()
      .nullable()
      .meta({ description: "Registered .agent name, bare", examples: ["quill"] }),
    agentDomain: z
      .string()
      .nullable()
      .meta({ description: "The same, whole", examples: ["quill.agent"] }),
    ethosScore: z.int().nullable().meta({ description: "null = not known" }),
    coinbaseVerified: z.boolean(),
    linkedToken: linkedTokenSchema.nullable(),
    personality: shownPersonalitySchema.nullable(),
    narrative: shownNarrativeSchema.nullable(),
    traits: z.array(traitSchema),
    socials: z.record(z.string(), z.string()).meta({
      description: "Accounts as stated; `x` is the proven account on X, else the stated one (`twitter`)",
    }),
    ...listing,
    explorer: url,
    indexedBlock: block,
    reservations: reservations.optional().meta({ description: "Left out in lists and in answers to a registration" }),
    reviews: canonicalReviewsSchema.optional(),
    payments: agentIncomeSchema.optional(),
    jobs: agentJobsSchema.optional(),
  })
  .meta({ id: "Agent" });
export type AgentView = z.output<typeof agentSchema>;

export function agentView(facts: AgentFacts, site: Site, now: Date, indexedBlock: number): AgentView {
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
