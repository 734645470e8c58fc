/** Schemas of human principals and organizations, and of where people sign in. */
import { array, object, strictObject, z } from "zod";
import { lenientObject } from "../../core/ignored.ts";
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
import { optionalText } from "../../core/text.ts";
import { count, ignored, tokenId, url } from "../../core/views/fields.ts";
import { humanId, humanSchema, organizationSchema } from "../../core/views/human.ts";

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

const page = { total: count, page: count, pages: count, limit: count, offset: count };
export const humanListSchema = object({ ...page, humans: array(humanSchema) }).meta({ id: "HumanList" });
export const organizationListSchema = object({ ...page, organizations: array(organizationSchema) }).meta({
  id: "OrganizationList",
});

export const registeredHumanSchema = object({ success: z.literal(true), principal: humanSchema, ignored }).meta({
  id: "RegisteredHuman",
});
export const registeredOrganizationSchema = object({
  success: z.literal(true),
  principal: organizationSchema,
  ignored,
}).meta({ id: "RegisteredOrganization" });

export const linkAgentBodySchema = strictObject({ agentTokenId: tokenId }).meta({
  id: "LinkAgentRequest",
  examples: [{ agentTokenId: 1 }],
});

export const deletedSchema = object({
  success: z.literal(true),
  deleted: object({ id: humanId.nullable(), links: count, organizations: array(z.string()) }),
}).meta({ id: "DeletedPrincipal", description: "The human, its links, and the slugs of its organizations" });

/** The identity provider, for those who sign in there by redirect. */
export const identityProviderSchema = object({
  name: z.string().meta({ description: "For the button people sign in by" }),
  issuer: url,
  clientId: z.string().meta({ description: "A public client: it has no secret" }),
  scope: z.string(),
  parameters: z
    .record(z.string(), z.string())
    .meta({ description: "Further parameters of the authorization request: they name the audience of the token" }),
  authorizationEndpoint: url,
  tokenEndpoint: url,
  revocationEndpoint: url.nullable(),
  issInResponse: z
    .boolean()
    .meta({ description: "Whether every answer of the authorization endpoint has to name its issuer (RFC 9207)" }),
}).meta({ id: "IdentityProvider" });
