/** Everything known about a human principal or an organization at one moment. What is private is not among it. */
import type { Address, AgentFacts } from "../facts.ts";
import type { Json, JsonObject } from "../json.ts";
import type { ListedService } from "../listing.ts";

/** What was last heard of a value, and when; ISO 8601. */
export type Heard<T> = { value: T; at: string };

/** Which private ways to be reached a principal has given. The ways themselves are loaded for nobody but itself. */
export type ContactKinds = { hasEmail: boolean; hasTelegram: boolean };

/** What a principal states about itself in whatever form; shown, and never counted. */
export type Stated = {
  /** By name: a text, a link, or an object with its URL. */
  services: Record<string, string | ListedService>;
  /** What it is called elsewhere. */
  externalIds: JsonObject | Json[];
  metadata: JsonObject;
};

/** An agent whose link holds. `heldSince`: when it came to its present owner, Unix seconds; null = it was never another's. */
export type LinkedAgent = AgentFacts & { heldSince: number | null };

export type HumanFacts = ContactKinds &
  Stated & {
    id: string;
    /** Null for a human who signs in by access token. */
    wallet: Address | null;
    /** Its own identity token, while its wallet owns it. */
    tokenId: number | null;
    name: string;
    description: string;
    image: string | null;
    organization: string;
    skills: string[];
    domains: string[];
    /** As stated; proves nothing. */
    linkedAccounts: Record<string, string>;
    /** ISO 8601. */
    createdAt: string;
    updatedAt: string;
    /** The exchange's unrevoked attestation of the wallet that lasts longest; Unix seconds, 0 = for ever. */
    attestation: { expiresAt: number } | null;
    /** Ethos about the wallet; null = never asked, a null value = it knows nothing. */
    ethos: Heard<number | null> | null;
    /** Transactions the wallet has sent; null = not known. */
    transactions: Heard<number> | null;
    /** Sessions with the linked agents that ended in success, since they came to their owners. */
    sessionSuccesses: number;
    /** Agents registered with the codes of the linked agents, since they came to their owners. */
    referrals: number;
    /** Agents whose links hold now, in the order they were linked. */
    agents: LinkedAgent[];
  };

/** How an organization names a member: by a wallet, or by the identity token of an agent. */
export type Member = Address | number;

export type OrganizationFacts = ContactKinds &
  Stated & {
    id: string;
    slug: string;
    /** Of the principal that registered it; null for one without a wallet. */
    wallet: Address | null;
    /** The human who registered it, if it is registered as one. */
    registeredBy: string | null;
    /** Its identity token, while its wallet owns it. */
    tokenId: number | null;
    displayName: string;
    description: string;
    image: string | null;
    organizationType: string;
    roles: string[];
    skills: string[];
    domains: string[];
    links: Record<string, string>;
    /** As stated; nobody is asked, and nothing follows for them. */
    members: Member[];
    createdAt: string;
    updatedAt: string;
  };
