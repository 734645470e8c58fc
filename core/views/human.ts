/** The public view of a human principal, and the breakdown of its cred. Only `ownHumanView` has the private fields. */
import { z } from "zod";
import { checksum } from "../addresses.ts";
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
import type { HumanFacts } from "../principals/facts.ts";
import { PROOF_PLATFORM_KEYS } from "../proof-platforms.ts";
import { isoSeconds } from "../times.ts";
import { type Site, summarySchema, summaryView } from "./agent.ts";
import { count, moment, score, shapeOf, tier, tierLabel, tokenId } from "./fields.ts";
import {
  hasContact,
  humanId,
  image,
  objectOrList,
  organizationSchema,
  places,
  shownStated,
  wallet,
  words,
} from "./organization.ts";

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
export type HumanView = z.output<typeof humanSchema>;

export function humanView(facts: HumanFacts, site: Site, now: Date): HumanView {
  const { score, tier } = humanCredOf(facts, now);
  return {
    id: facts.id,
    walletAddress: facts.wallet && checksum(facts.wallet),
    tokenId: facts.tokenId,
    entityType: "human",
    name: facts.name,
    description: facts.description,
    image: facts.image,
    organization: facts.organization,
    skills: facts.skills,
    domains: facts.domains,
    linkedAccounts: facts.linkedAccounts,
    services: facts.services,
    externalIds: facts.externalIds,
    metadata: facts.metadata,
    contact: { hasEmail: facts.hasEmail, hasTelegram: facts.hasTelegram },
    linkedAgents: facts.agents.map((agent) => summaryView(agent, site, now)),
    humanCred: { score, tier: tierWord(tier), tierLabel: tier.label },
    createdAt: facts.createdAt,
    updatedAt: facts.updatedAt,
  };
}

const contact = z.object({ email: z.string().nullable(), telegram: z.string().nullable() });
/** Contact data and wishes of a principal: shown to the principal only. */
const shownPrivately = { contact, notificationPreferences: objectOrList };
export type PrivateFields = z.output<z.ZodObject<typeof shownPrivately>>;
export const ownHumanSchema = z
  .object({
    ...humanFields,
    ...shownPrivately,
    organizations: z.array(z.object({ ...organizationSchema.shape, ...shownPrivately })),
  })
  .meta({ id: "OwnHuman", description: "With what nobody else is shown" });
export type OwnHumanView = z.output<typeof ownHumanSchema>;

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
    breakdown: z.object(shapeOf(HUMAN_SIGNAL_KEYS, component)),
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
