/**
 * The views of an agent: in full, in a list, in the leaderboard; its picture's URL and the deployment that views show.
 */
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { array, looseObject, object, z } from "zod";
import { checksum } from "../addresses.ts";
import { caveat, earlierOwner, type OwnedFacts, sharedWith } from "../agents/caveats.ts";
import type { Address, AgentFacts } from "../agents/facts.ts";
import { linkedToken } from "../agents/linked-token.ts";
import { listingOf } from "../agents/listing.ts";
import { bareName, withDotAgent } from "../agents/names.ts";
import { mergeProfile } from "../agents/profile.ts";
import { countedTraits } from "../agents/traits.ts";
import { TEMPLATE } from "../card/hash.ts";
import { exchangeCounts, shownCred, validProofs } from "../cred/cred.ts";
import { tierWord } from "../cred/tiers.ts";
import { agentIncomeSchema, agentJobsSchema, incomeStatsView, jobStatsView } from "../income/view.ts";
import { tokenLink } from "../links.ts";
import { mintOriginAt } from "../mints/mint-origins.ts";
import type { PriceList } from "../payments/prices.ts";
import { canonicalReviewsSchema, canonicalReviewsView } from "../reviews/view.ts";
import { isoSeconds } from "../times.ts";
import {
  address,
  block,
  type Caveat,
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

export type Site = {
  serviceName: string;
  /** Base URLs without a trailing slash. */
  publicUrl: string;
  webUrl: string;
  explorer: string;
  /** Address of the identity contract. */
  contract: Address;
  prices: PriceList;
};

/**
 * Hash of all inputs of a card (core/card/facts.ts), 16 hex digits. It is computed before texts are cut to fit: lists
 * need the hash of every agent, and the layout of each card would cost more than the rest of the answer.
 */
export function imageHash(facts: AgentFacts, site: Pick<Site, "serviceName">, now: Date): string {
  const drawnFrom = [
    TEMPLATE,
    site.serviceName,
    facts.tokenId,
    facts.name,
    facts.framework,
    facts.agentAddress,
    shownCred(facts, now).score,
    facts.verified,
    validProofs(facts).map((proof) => proof.platform),
    exchangeCounts(facts, now),
    countedTraits(facts.traits).map((trait) => trait.name),
    facts.soulbound,
    facts.generation,
    facts.mintedAt,
  ];
  return bytesToHex(sha256(utf8ToBytes(JSON.stringify(drawnFrom)))).slice(0, 16);
}

export const imageUrl = (facts: AgentFacts, site: Site, now: Date): string =>
  `${site.publicUrl}/api/v2/aura/${facts.tokenId}.png?v=${imageHash(facts, site, now)}`;

const cred = { credScore: score, credTier: tier, tierLabel };

/** What every view of an agent has. */
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

export const summarySchema = object({ ...identity, traitCount: count }).meta({ id: "AgentSummary" });
export type SummaryView = z.output<typeof summarySchema>;

/** The identity of an agent, with its score and its picture. */
function identityView(facts: AgentFacts, site: Site, now: Date): Omit<SummaryView, "traitCount"> {
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
    mintedAt: isoSeconds(facts.mintedAt),
    image: imageUrl(facts, site, now),
  };
}

export const summaryView = (facts: AgentFacts, site: Site, now: Date): SummaryView => ({
  ...identityView(facts, site, now),
  traitCount: countedTraits(facts.traits).length,
});

export const rankedSchema = object({
  rank: z.int().min(1).meta({ description: "1 is best; ties share a rank" }),
  ...summarySchema.shape,
}).meta({ id: "RankedAgent" });

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

/**
 * All caveats about an own agent. The exchange's attestation is of an owner's wallet: it is an earlier one's unless it
 * names the present one, and serves others while it counts.
 */
export function caveatsOf(facts: OwnedFacts, now: Date): Caveat[] {
  const { ownership, shared, exchange, owner } = facts;
  const isEarlier = exchange !== null && exchange.recipient !== owner;
  return [
    ...earlierOwner(ownership),
    ...(isEarlier ? [caveat("coinbase", exchange.verifiedAt, ownership.heldSince)] : []),
    ...sharedWith({ ...shared, attestation: exchangeCounts(facts, now) ? shared.attestation : 0 }),
  ];
}

/** A byte on chain; the API itself writes 0 to 10. */
const level = z.int().min(0).max(255).nullable();
const shownPersonalitySchema = object({
  quirks: z.string(),
  communicationStyle: z.string(),
  values: z.string(),
  humor: z.string(),
  riskTolerance: level,
  autonomyLevel: level,
}).meta({ id: "Personality" });

const shownNarrativeSchema = object({
  origin: z.string(),
  mission: z.string(),
  lore: z.string(),
  manifesto: z.string(),
}).meta({ id: "Narrative" });

const traitSchema = object({ name: z.string(), category: z.string(), addedAt: moment }).meta({ id: "Trait" });

export const linkedTokenSchema = object({
  contractAddress: z.string(),
  chain: z.string(),
  symbol: z.string(),
  name: z.string(),
}).meta({ id: "LinkedToken" });

const words = array(z.string()).meta({ description: "As stated" });

const listing = {
  services: z
    .record(z.string(), looseObject({ url: url.optional() }))
    .meta({ description: "Where the agent can be reached, as stated: by name, each with a `url` or another place" }),
  skills: words,
  domains: words,
  metadata: looseObject({ acceptedPayments: array(z.string()).optional() }).meta({
    description: "Any JSON, as stated",
  }),
};

export const agentSchema = object({
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
  traits: array(traitSchema),
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
}).meta({ id: "Agent" });
export type AgentView = z.output<typeof agentSchema>;

export function agentView(facts: AgentFacts, site: Site, now: Date, indexedBlock: number): AgentView {
  const { personality, narrative, socials } = mergeProfile(facts);
  return {
    ...identityView(facts, site, now),
    generation: facts.generation,
    version: facts.version,
    mutationCount: facts.mutationCount,
    ethosScore: facts.ethosScore,
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
    explorer: tokenLink(site.explorer, site.contract, facts.tokenId),
    indexedBlock,
  };
}

/** What others have to do with an agent: beside its proofs, and as reviewers, payers and clients. */
export const evidenceView = (facts: OwnedFacts, now: Date) => ({
  reservations: caveatsOf(facts, now),
  reviews: canonicalReviewsView(facts.reviews),
  payments: facts.payments && incomeStatsView(facts.payments),
  jobs: facts.jobs && jobStatsView(facts.jobs),
});

/** The page of an agent. */
export const agentPageView = (facts: OwnedFacts, site: Site, now: Date, indexedBlock: number): AgentView => ({
  ...agentView(facts, site, now, indexedBlock),
  ...evidenceView(facts, now),
});

/** The stated accounts; `x` is the proven account on X where there is one, else the stated one. */
function withX(facts: AgentFacts, socials: Record<string, string>): Record<string, string> {
  const proof = validProofs(facts).find(({ platform }) => platform === "x");
  const x = proof?.handle ?? socials.twitter;
  return x === undefined ? socials : { ...socials, x };
}
