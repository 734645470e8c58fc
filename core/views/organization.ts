/** The public view of an organization. */
import { z } from "zod";
import { checksum } from "../addresses.ts";
import type { OrganizationFacts } from "../principals/facts.ts";
import { address, moment, tokenId } from "./fields.ts";

export const words = z.array(z.string());
export const places = z.record(z.string(), z.string());
const jsonObject = z.looseObject({});
export const objectOrList = z.union([jsonObject, z.array(z.unknown())]);
export const shownStated = {
  services: z
    .record(z.string(), z.union([z.string(), z.looseObject({ url: z.string().optional() })]))
    .meta({ description: "By name, as stated: a text, a URL, or an object with its `url`" }),
  externalIds: objectOrList.meta({ description: "As stated, not proven" }),
  metadata: jsonObject.meta({ description: "As stated" }),
};
export const hasContact = z.object({ hasEmail: z.boolean(), hasTelegram: z.boolean() });

export const image = z.string().nullable();
export const wallet = address.nullable().meta({ description: "null for one who signs in by access token" });
export const humanId = z.string().meta({ examples: ["hum_5f0c6d0e4b9a4f3c8a51d2e7b6c90f14"] });

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
export type OrganizationView = z.output<typeof organizationSchema>;

export const organizationView = (facts: OrganizationFacts): OrganizationView => ({
  id: facts.id,
  slug: facts.slug,
  walletAddress: facts.wallet && checksum(facts.wallet),
  tokenId: facts.tokenId,
  entityType: "organization",
  displayName: facts.displayName,
  description: facts.description,
  image: facts.image,
  organizationType: facts.organizationType,
  roles: facts.roles,
  skills: facts.skills,
  domains: facts.domains,
  links: facts.links,
  services: facts.services,
  externalIds: facts.externalIds,
  metadata: facts.metadata,
  contact: { hasEmail: facts.hasEmail, hasTelegram: facts.hasTelegram },
  members: facts.members.map((member) => (typeof member === "number" ? member : checksum(member))),
  registeredBy: facts.registeredBy,
  createdAt: facts.createdAt,
  updatedAt: facts.updatedAt,
});
