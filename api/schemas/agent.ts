/** Agents as the API shows them. */
import { z } from "zod";
import {
  address,
  block,
  count,
  mintOrigin,
  moment,
  reservations,
  score,
  tier,
  tierLabel,
  tokenId,
  url,
  walletConfirmed,
} from "./fields.ts";
import { canonicalReviewsSchema } from "./reviews.ts";

const cred = { credScore: score, credTier: tier, tierLabel };

const identity = {
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
  })
  .meta({ id: "Agent" });

export const agentListSchema = z
  .object({
    total: count.meta({ description: "All agents the filter lets through" }),
    page: z.int().min(1),
    pages: count,
    limit: z.int().min(1),
    offset: count,
    agents: z.array(summarySchema),
    nextCursor: z
      .string()
      .nullable()
      .meta({ description: "Give it back as `cursor` for the next page; null at the end" }),
  })
  .meta({ id: "AgentList" });

export const agentArraySchema = z.array(agentSchema);

export const leaderboardSchema = z
  .object({
    sort: z.enum(["cred", "points"]),
    limit: z.int().min(1),
    agents: z.array(
      z
        .object({ rank: z.int().min(1).meta({ description: "1 is best; ties share a rank" }), ...summarySchema.shape })
        .meta({ id: "RankedAgent" }),
    ),
  })
  .meta({ id: "Leaderboard" });

const attribute = z.object({
  trait_type: z.string(),
  value: z.union([z.string(), z.number()]),
  display_type: z.enum(["number", "date"]).optional(),
  max_value: z.number().optional(),
});

/** ERC-721 metadata: exactly these keys, or marketplaces stop reading the attributes. */
export const metadataSchema = z
  .object({
    name: z.string(),
    description: z.string(),
    image: url,
    external_url: url,
    attributes: z.array(attribute),
  })
  .meta({ id: "Metadata" });

/** Metadata of the contract as a whole. @see https://eips.ethereum.org/EIPS/eip-7572 */
export const contractMetadataSchema = z
  .object({ name: z.string(), symbol: z.string(), description: z.string(), image: url, external_link: url })
  .meta({ id: "ContractMetadata" });

export const nameCheckSchema = z
  .object({
    name: z.string().meta({ examples: ["atlas.agent"] }),
    available: z.boolean(),
    tokenId: tokenId.nullable(),
    contract: address,
  })
  .meta({ id: "NameCheck" });
