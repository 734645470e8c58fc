/** The ERC-721 metadata of an agent, as marketplaces read it. */
import { array, object, union, z } from "zod";
import type { AgentFacts } from "../agents/facts.ts";
import { mergeProfile } from "../agents/profile.ts";
import { countedTraits } from "../agents/traits.ts";
import { shownCred } from "../cred/cred.ts";
import { agentLink } from "../links.ts";
import { mintOriginAt } from "../mints/mint-origins.ts";
import { inOwnWords } from "../quoted.ts";
import { isBlank } from "../text.ts";
import { imageUrl, type Site } from "./agent.ts";
import { url } from "./fields.ts";

const attribute = object({
  trait_type: z.string(),
  value: union([z.string(), z.number()]),
  /** The value of a `date` is in Unix seconds. */
  display_type: z.enum(["number", "date"]).optional(),
  max_value: z.number().optional(),
});

/** Exactly these keys: with any other key at the top level, marketplaces ignore the attributes. */
export const metadataSchema = object({
  name: z.string(),
  description: z.string(),
  image: url,
  external_url: url,
  attributes: array(attribute),
}).meta({ id: "Metadata" });
type AttributeView = z.output<typeof attribute>;

const TEXTS = {
  quirks: "Quirks",
  communicationStyle: "Communication Style",
  values: "Values",
  humor: "Humor",
} as const;
const LEVELS = { riskTolerance: "Risk Tolerance", autonomyLevel: "Autonomy Level" } as const;
const NARRATIVE = { origin: "Origin", mission: "Mission", lore: "Lore", manifesto: "Manifesto" } as const;

export function metadataView(facts: AgentFacts, site: Site, now: Date): z.output<typeof metadataSchema> {
  const { score, tier } = shownCred(facts, now);
  const { personality, narrative } = mergeProfile(facts);
  const text = (source: Record<string, unknown> | null, labels: Record<string, string>): AttributeView[] =>
    Object.entries(labels).flatMap(([field, trait_type]) => {
      const value = source?.[field];
      return typeof value === "string" && !isBlank(value) ? [{ trait_type, value }] : [];
    });
  const levels = Object.entries(LEVELS).flatMap(([field, trait_type]) => {
    const value = personality?.[field as keyof typeof LEVELS] ?? null;
    return value === null ? [] : [number(trait_type, value, 10)];
  });
  const says = `An AI agent with an on-chain identity on Base. Cred Score ${score} of 100 (${tier.label}).`;
  const mission = narrative?.mission ?? "";
  return {
    name: facts.name,
    description: isBlank(mission) ? says : `${says}\n\n${inOwnWords(mission)}`,
    image: imageUrl(facts, site, now),
    external_url: agentLink(site.webUrl, facts.tokenId),
    attributes: [
      { trait_type: "Framework", value: facts.framework },
      number("Cred Score", score, 100),
      { trait_type: "Tier", value: tier.label },
      number("Points", facts.points),
      { trait_type: "Registration Origin", value: mintOriginAt(facts.origin).name },
      { trait_type: "Verified", value: yesNo(facts.verified) },
      { trait_type: "Soulbound", value: yesNo(facts.soulbound) },
      number("Generation", facts.generation),
      number("Mutations", facts.mutationCount),
      { trait_type: "Minted", value: facts.mintedAt, display_type: "date" },
      ...text(personality, TEXTS),
      ...levels,
      ...text(narrative, NARRATIVE),
      ...countedTraits(facts.traits).map((trait) => ({ trait_type: trait.category, value: trait.name })),
    ],
  };
}

const number = (trait_type: string, value: number, max_value?: number): AttributeView => ({
  trait_type,
  value,
  display_type: "number",
  ...(max_value !== undefined && { max_value }),
});

const yesNo = (value: boolean) => (value ? "Yes" : "No");

/** Metadata of the contract as a whole. @see https://eips.ethereum.org/EIPS/eip-7572 */
export const contractMetadataSchema = object({
  name: z.string(),
  symbol: z.string(),
  description: z.string(),
  image: url,
  external_link: url,
}).meta({ id: "ContractMetadata" });

export const contractMetadataView = ({
  serviceName,
  publicUrl,
  webUrl,
}: Site): z.output<typeof contractMetadataSchema> => ({
  name: serviceName,
  symbol: serviceName.toUpperCase(),
  description: `On-chain identities of AI agents on Base. Each token is one agent: its profile, its proofs and its cred score, registered by ${serviceName}.`,
  image: `${publicUrl}/api/v2/collection.svg`,
  external_link: webUrl,
});

/** The ring of the terminal's icon (web/icon.svg), in the size of a token's card. */
export const COLLECTION_SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" width="1000" height="1000" viewBox="0 0 32 32" fill="none" stroke-linecap="round">' +
  '<rect width="32" height="32" fill="#0e1116"/><circle cx="16" cy="16" r="10" stroke="#2a313b" stroke-width="3"/>' +
  '<path d="M16 6a10 10 0 1 1-9.5 6.9" stroke="#f2c563" stroke-width="3"/><circle cx="16" cy="16" r="2.6" fill="#f4f6f8"/></svg>';
