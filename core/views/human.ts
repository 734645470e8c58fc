/** The public view of a human principal, and the breakdown of its cred. Only `ownHumanView` has the private fields. */
import { checksum } from "../addresses.ts";
import type { Address } from "../agents/facts.ts";
import { shownCred } from "../cred/cred.ts";
import { type TierWord, tierWord } from "../cred/tiers.ts";
import type { Json, JsonObject } from "../json.ts";
import {
  ethosScore,
  filledParts,
  type HumanComponent,
  type HumanSignalKey,
  humanCredOf,
  isAttested,
  PROFILE_PARTS,
  type ProfilePart,
  provenAccounts,
} from "../principals/cred.ts";
import type { ContactKinds, HumanFacts, StatedProfile } from "../principals/facts.ts";
import type { ProofPlatformKey } from "../proof-platforms.ts";
import { isoSeconds } from "../times.ts";
import type { OrganizationView } from "./organization.ts";
import type { Site } from "./site.ts";
import { type SummaryView, summaryView } from "./summary.ts";

export type HumanView = StatedProfile & {
  id: string;
  walletAddress: Address | null;
  tokenId: number | null;
  entityType: "human";
  name: string;
  description: string;
  image: string | null;
  organization: string;
  skills: string[];
  domains: string[];
  linkedAccounts: Record<string, string>;
  contact: ContactKinds;
  linkedAgents: SummaryView[];
  humanCred: { score: number; tier: TierWord; tierLabel: string };
  createdAt: string;
  updatedAt: string;
};

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

/** Contact data of a principal; shown to the principal only. */
type Contact = { email: string | null; telegram: string | null };
/** Private fields: shown to the principal only. */
export type PrivateFields = { contact: Contact; notificationPreferences: JsonObject | Json[] };
export type OwnHumanView = Omit<HumanView, "contact"> &
  PrivateFields & { organizations: (Omit<OrganizationView, "contact"> & PrivateFields)[] };

export type HumanCredView = {
  id: string;
  score: number;
  tier: TierWord;
  tierLabel: string;
  breakdown: Record<HumanSignalKey, HumanComponent>;
  /** Source of each value, and the time it was read. */
  sources: {
    exchangeAttestation: { attested: boolean; expiresAt: string | null } | null;
    provenAccounts: { tokenId: number; platform: ProofPlatformKey; handle: string }[];
    linkedAgents: { tokenId: number; credScore: number }[];
    ethos: { score: number | null; fetchedAt: string | null };
    transactions: { count: number | null; fetchedAt: string | null };
    sessions: { success: number };
    referrals: { total: number };
    profile: { told: ProfilePart[]; missing: ProfilePart[] };
    registeredAt: string;
  };
  /** The newest of the times in `sources` and `createdAt`. */
  updatedAt: string;
};

export function humanCredView(facts: HumanFacts, now: Date): HumanCredView {
  const { score, tier, breakdown } = humanCredOf(facts, now);
  const attested = isAttested(facts, now);
  const expiresAt = attested ? facts.attestation!.expiresAt : 0;
  const told = filledParts(facts);
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
      profile: { told, missing: (Object.keys(PROFILE_PARTS) as ProfilePart[]).filter((part) => !told.includes(part)) },
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
