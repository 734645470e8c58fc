/** Schemas of human principals and organizations. */

import { z } from "zod";
import { lenientObject } from "../../core/ignored.ts";
import { HUMAN_SIGNAL_KEYS, PROFILE_PARTS, type ProfilePart } from "../../core/principals/cred.ts";
import {
  contactSchema,
  imageUrl,
  memberList,
  principalName,
  principalText,
  slugSchema,
  statedMap,
  statedObject,
  statedObjectOrList,
  statedServices,
  wordList,
} from "../../core/principals/input.ts";
import { PROOF_PLATFORM_KEYS } from "../../core/proof-platforms.ts";
import { optionalText } from "../../core/text.ts";
import { summarySchema } from "./agent.ts";
import { address, count, ignored, moment, score, tier, tierLabel, tokenId } from "./fields.ts";

const ownToken = tokenId
  .nullable()
  .optional()
  .meta({ description: "An identity token that the signing wallet owns; null takes it back. A transfer ends it" });

const keeps =
  "What is left out stays as it is; null or an empty text clears it. A field that is not listed here is no error and is not read: the answer names it in `ignored`.";

/** Fields that existing pages send in addition to those of their own kind. */
const stated = {
  services: statedServices.optional(),
  externalIds: statedObjectOrList("What one is called elsewhere, as stated").optional(),
  metadata: statedObject.optional(),
  notificationPreferences: statedObjectOrList("Private: shown to the principal itself. Nothing is sent").optional(),
};

export const humanBodySchema = lenientObject({
  name: principalName,
  description: principalText(512, { lines: true }).optional(),
  image: imageUrl.optional(),
  organization: principalText(128).optional(),
  skills: wordList.optional(),
  domains: wordList.optional(),
  linkedAccounts: statedMap.optional(),
  ...stated,
  contact: contactSchema.optional(),
  tokenId: ownToken,
}).meta({
  id: "HumanRequest",
  description: keeps,
  examples: [
    {
      name: "Ada",
      description: "Builds agents.",
      image: "https://example.org/ada.png",
      organization: "Analytical Engines",
      skills: ["solidity"],
      domains: ["finance"],
      linkedAccounts: { github: "ada" },
      services: { consulting: "https://example.org/ada", web: { url: "https://ada.example.org" } },
      contact: { email: "ada@example.org" },
    },
  ],
});

export const organizationBodySchema = lenientObject({
  displayName: principalName,
  slug: optionalText(slugSchema).meta({
    description: "Unique, and fixed once registered; made from the name unless given",
  }),
  description: principalText(512, { lines: true }).optional(),
  image: imageUrl.optional(),
  organizationType: principalText(64).optional(),
  roles: wordList.optional(),
  skills: wordList.optional(),
  domains: wordList.optional(),
  links: statedMap.optional(),
  ...stated,
  contact: contactSchema.optional(),
  members: memberList.optional(),
  tokenId: ownToken,
}).meta({
  id: "OrganizationRequest",
  description: keeps,
  examples: [
    {
      displayName: "Analytical Engines",
      slug: "analytical-engines",
      organizationType: "company",
      roles: ["builder"],
      links: { website: "https://example.org" },
      contact: { email: "hello@example.org" },
      members: [1],
    },
  ],
});

const hasContact = z.object({ hasEmail: z.boolean(), hasTelegram: z.boolean() });
const contact = z.object({ email: z.string().nullable(), telegram: z.string().nullable() });
const words = z.array(z.string());
const places = z.record(z.string(), z.string());
const jsonObject = z.looseObject({});
const objectOrList = z.union([jsonObject, z.array(z.unknown())]);
const shownStated = {
  services: z
    .record(z.string(), z.union([z.string(), z.looseObject({ url: z.string().optional() })]))
    .meta({ description: "By name, as stated: a text, a URL, or an object with its `url`" }),
  externalIds: objectOrList.meta({ description: "As stated, not proven" }),
  metadata: jsonObject.meta({ description: "As stated" }),
};
const image = z.string().nullable();
const wallet = address.nullable().meta({ description: "null for one who signs in by access token" });
const humanId = z.string().meta({ examples: ["hum_5f0c6d0e4b9a4f3c8a51d2e7b6c90f14"] });

const humanFields = {
  id: humanId,
  walletAddress: wallet,
  tokenId: tokenId.nullable(),
  entityType: z.literal("human"),
  name: z.string(),
  description: z.string(),
  image,
  organization: z.string(),
  skills: words,
  domains: words,
  linkedAccounts: places.meta({ description: "As stated, not proven" }),
  ...shownStated,
  contact: hasContact,
  linkedAgents: z.array(summarySchema),
  humanCred: z.object({ score, tier, tierLabel }),
  createdAt: moment,
  updatedAt: moment,
};
export const humanSchema = z.object(humanFields).meta({ id: "Human" });

const organizationFields = {
  id: z.string().meta({ examples: ["org_8d1b0a52c7e94d5f9b3a6c1e2f40d7a9"] }),
  slug: z.string(),
  walletAddress: wallet,
  tokenId: tokenId.nullable(),
  entityType: z.literal("organization"),
  displayName: z.string(),
  description: z.string(),
  image,
  organizationType: z.string(),
  roles: words,
  skills: words,
  domains: words,
  links: places,
  ...shownStated,
  contact: hasContact,
  members: z
    .array(z.union([address, tokenId]))
    .meta({ description: "Wallets and token ids, as the organization states them" }),
  registeredBy: humanId.nullable().meta({ description: "The human who registered it, if there is one" }),
  createdAt: moment,
  updatedAt: moment,
};
export const organizationSchema = z.object(organizationFields).meta({ id: "Organization" });

const shownPrivately = { contact, notificationPreferences: objectOrList };
export const ownHumanSchema = z
  .object({
    ...humanFields,
    ...shownPrivately,
    organizations: z.array(z.object({ ...organizationFields, ...shownPrivately })),
  })
  .meta({ id: "OwnHuman", description: "With what nobody else is shown" });

const page = { total: count, page: count, pages: count, limit: count, offset: count };
export const humanListSchema = z.object({ ...page, humans: z.array(humanSchema) }).meta({ id: "HumanList" });
export const organizationListSchema = z
  .object({ ...page, organizations: z.array(organizationSchema) })
  .meta({ id: "OrganizationList" });

export const registeredHumanSchema = z
  .object({ success: z.literal(true), principal: humanSchema, ignored })
  .meta({ id: "RegisteredHuman" });
export const registeredOrganizationSchema = z
  .object({ success: z.literal(true), principal: organizationSchema, ignored })
  .meta({ id: "RegisteredOrganization" });

export const linkAgentBodySchema = z
  .strictObject({ agentTokenId: tokenId })
  .meta({ id: "LinkAgentRequest", examples: [{ agentTokenId: 1 }] });

export const deletedSchema = z
  .object({
    success: z.literal(true),
    deleted: z.object({ id: humanId.nullable(), links: count, organizations: z.array(z.string()) }),
  })
  .meta({ id: "DeletedPrincipal", description: "The human, its links, and the slugs of its organizations" });

const component = z
  .object({
    weight: z.int().min(0).max(100),
    raw: score,
    contribution: z.number().min(0).max(100).meta({ description: "raw · weight / 100" }),
    known: z.boolean().meta({ description: "false: its source has not been heard, and it counts 0" }),
  })
  .meta({ id: "HumanSignal" });
const part = z.enum(Object.keys(PROFILE_PARTS) as [ProfilePart, ...ProfilePart[]]);

export const humanCredSchema = z
  .object({
    id: humanId,
    score,
    tier,
    tierLabel,
    breakdown: z.object(
      Object.fromEntries(HUMAN_SIGNAL_KEYS.map((key) => [key, component])) as Record<
        (typeof HUMAN_SIGNAL_KEYS)[number],
        typeof component
      >,
    ),
    sources: z.object({
      exchangeAttestation: z.object({ attested: z.boolean(), expiresAt: moment.nullable() }).nullable(),
      provenAccounts: z.array(z.object({ tokenId, platform: z.enum(PROOF_PLATFORM_KEYS), handle: z.string() })),
      linkedAgents: z.array(z.object({ tokenId, credScore: score })),
      ethos: z.object({ score: z.int().nullable(), fetchedAt: moment.nullable() }),
      transactions: z.object({ count: count.nullable(), fetchedAt: moment.nullable() }),
      sessions: z.object({ success: count }),
      referrals: z.object({ total: count }),
      profile: z.object({ told: z.array(part), missing: z.array(part) }),
      registeredAt: moment,
    }),
    updatedAt: moment.meta({ description: "The newest of what it was read from" }),
  })
  .meta({ id: "HumanCred" });
