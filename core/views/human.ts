/**
 * The views of principals: humans with the breakdown of their cred, organizations, who a wallet is known as. Only ownHumanView has the private fields.
 */
import { array, looseObject, object, union, z } from "zod";
import { checksum } from "../addresses.ts";
import type { Address } from "../agents/facts.ts";
import { shownCred } from "../cred/cred.ts";
import { tierWord } from "../cred/tiers.ts";
import {
  ethosScore,
  filledParts,
  HUMAN_SIGNAL_KEYS,
  humanCredOf,
  isAttested,
  PROFILE_PARTS,
  type ProfilePart,
  provenAccounts,
} from "../principals/cred.ts";
import type { HumanFacts, OrganizationFacts } from "../principals/facts.ts";
import { PROOF_PLATFORM_KEYS } from "../proof-platforms.ts";
import { isoSeconds } from "../times.ts";
import { type Site, summarySchema, summaryView } from "./agent.ts";
import { address, count, membersOf, moment, score, shapeOf, tier, tierLabel, tokenId } from "./fields.ts";

const words = array(z.string());
const places = z.record(z.string(), z.string());
const jsonObject = looseObject({});
const objectOrList = union([jsonObject, array(z.unknown())]);
const shownStated = {
  services: z
    .record(z.string(), union([z.string(), looseObject({ url: z.string().optional() })]))
    .meta({ description: "By name, as stated: a text, a URL, or an object with its `url`" }),
  externalIds: objectOrList.meta({ description: "As stated, not proven" }),
  metadata: jsonObject.meta({ description: "As stated" }),
};
const hasContact = object({ hasEmail: z.boolean(), hasTelegram: z.boolean() });

const image = z.string().nullable();
const wallet = address.nullable().meta({ description: "null for one who signs in by access token" });
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
  members: array(union([address, tokenId])).meta({
    description: "Wallets and token ids, as the organization states them",
  }),
  registeredBy: humanId.nullable().meta({ description: "The human who registered it, if there is one" }),
  createdAt: moment,
  updatedAt: moment,
};

export const organizationSchema = object(organizationFields).meta({ id: "Organization" });

export const organizationView = (facts: OrganizationFacts): z.output<typeof organizationSchema> =>
  membersOf(organizationSchema, {
    ...facts,
    walletAddress: facts.wallet && checksum(facts.wallet),
    entityType: "organization",
    contact: { hasEmail: facts.hasEmail, hasTelegram: facts.hasTelegram },
    members: facts.members.map((member) => (typeof member === "number" ? member : checksum(member))),
  });

export const walletNameSchema = object({
  address,
  agent: object({
    platform: z.string(),
    agentId: z.string(),
    tokenId: tokenId.nullable(),
    name: z.string(),
    credScore: score,
  })
    .nullable()
    .meta({
      description:
        "The wallet's own agent: one here that it owns, verified or registered, else the best of the canonical registry that proves it",
    }),
  human: object({ id: z.string(), name: z.string() }).nullable(),
  organization: object({ slug: z.string(), name: z.string() }).nullable(),
}).meta({ id: "WalletName" });
type WalletNameView = z.output<typeof walletNameSchema>;
export type WalletName = Omit<WalletNameView, "address"> & { address: Address };

export const walletNameView = (name: WalletName): WalletNameView => ({ ...name, address: checksum(name.address) });

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
  linkedAgents: array(summarySchema),
  humanCred: object({ score, tier, tierLabel }),
  createdAt: moment,
  updatedAt: moment,
};
export const humanSchema = object(humanFields).meta({ id: "Human" });

export function humanView(facts: HumanFacts, site: Site, now: Date): z.output<typeof humanSchema> {
  const { score, tier } = humanCredOf(facts, now);
  return membersOf(humanSchema, {
    ...facts,
    walletAddress: facts.wallet && checksum(facts.wallet),
    entityType: "human",
    contact: { hasEmail: facts.hasEmail, hasTelegram: facts.hasTelegram },
    linkedAgents: facts.agents.map((agent) => summaryView(agent, site, now)),
    humanCred: { score, tier: tierWord(tier), tierLabel: tier.label },
  });
}

const contact = object({ email: z.string().nullable(), telegram: z.string().nullable() });
/** Contact data and wishes of a principal: shown to the principal only. */
const shownPrivately = { contact, notificationPreferences: objectOrList };
export type PrivateFields = z.output<z.ZodObject<typeof shownPrivately>>;
export const ownHumanSchema = object({
  ...humanFields,
  ...shownPrivately,
  organizations: array(object({ ...organizationSchema.shape, ...shownPrivately })),
}).meta({ id: "OwnHuman", description: "With what nobody else is shown" });
export type OwnHumanView = z.output<typeof ownHumanSchema>;

const component = object({
  weight: z.int().min(0).max(100),
  raw: score,
  contribution: z.number().min(0).max(100).meta({ description: "raw · weight / 100" }),
  known: z.boolean().meta({ description: "false: its source has not answered, and it counts 0" }),
}).meta({ id: "HumanSignal" });
const part = z.enum(Object.keys(PROFILE_PARTS) as [ProfilePart, ...ProfilePart[]]);

export const humanCredSchema = object({
  id: humanId,
  score,
  tier,
  tierLabel,
  breakdown: object(shapeOf(HUMAN_SIGNAL_KEYS, component)),
  sources: object({
    exchangeAttestation: object({ attested: z.boolean(), expiresAt: moment.nullable() }).nullable(),
    provenAccounts: array(object({ tokenId, platform: z.enum(PROOF_PLATFORM_KEYS), handle: z.string() })),
    linkedAgents: array(object({ tokenId, credScore: score })),
    ethos: object({ score: z.int().nullable(), fetchedAt: moment.nullable() }),
    transactions: object({ count: count.nullable(), fetchedAt: moment.nullable() }),
    sessions: object({ success: count }),
    referrals: object({ total: count }),
    profile: object({ told: array(part), missing: array(part) }),
    registeredAt: moment,
  }),
  updatedAt: moment.meta({ description: "The newest of what it was read from" }),
}).meta({ id: "HumanCred" });

export function humanCredView(facts: HumanFacts, now: Date): z.output<typeof humanCredSchema> {
  const { score, tier, breakdown } = humanCredOf(facts, now);
  const attested = isAttested(facts, now);
  const expiresAt = attested ? facts.attestation!.expiresAt : 0;
  const filled = filledParts(facts);
  return {
    id: facts.id,
    score,
    tier: tierWord(tier),
    tierLabel: tier.label,
    breakdown,
    sources: {
      exchangeAttestation: facts.wallet && { attested, expiresAt: expiresAt === 0 ? null : isoSeconds(expiresAt) },
      provenAccounts: provenAccounts(facts),
      linkedAgents: facts.agents.map((agent) => ({ tokenId: agent.tokenId, credScore: shownCred(agent, now).score })),
      ethos: { score: ethosScore(facts), fetchedAt: facts.ethos?.at ?? null },
      transactions: { count: facts.transactions?.value ?? null, fetchedAt: facts.transactions?.at ?? null },
      sessions: { success: facts.sessionSuccesses },
      referrals: { total: facts.referrals },
      profile: {
        told: filled,
        missing: (Object.keys(PROFILE_PARTS) as ProfilePart[]).filter((part) => !filled.includes(part)),
      },
      registeredAt: facts.createdAt,
    },
    updatedAt: newest(facts),
  };
}

/** The newest time; all are ISO 8601 texts of one form, so the greatest text is the newest. */
const newest = ({ updatedAt, ethos, transactions, agents }: HumanFacts): string =>
  [updatedAt, ethos?.at, transactions?.at, ...agents.map(({ cred }) => cred?.computedAt)]
    .filter((at) => at !== undefined)
    .sort()
    .at(-1)!;
