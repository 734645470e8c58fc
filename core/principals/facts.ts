/** All public facts about a human principal or an organization at one moment. */
import type { Address, AgentFacts } from "../agents/facts.ts";
import type { ListedService } from "../agents/listing.ts";
import type { Json, JsonObject } from "../json.ts";

/** The last value fetched from a source, and the time of the fetch, ISO 8601. */
type FetchedValue<T> = { value: T; at: string };

/** Which contact data a principal has given. The data themselves are private and loaded for the principal only. */
type ContactKinds = { hasEmail: boolean; hasTelegram: boolean };

/** Free-form data that a principal states about itself; shown and never counted. */
export type StatedProfile = {
  /** Services by name: a text, a link, or an object with its URL. */
  services: Record<string, string | ListedService>;
  /** Its ids on other systems. */
  externalIds: JsonObject | Json[];
  metadata: JsonObject;
};

/** An agent with a valid link. `heldSince`: Unix seconds since its present owner has it; null: it never had another owner. */
export type LinkedAgent = AgentFacts & { heldSince: number | null };

type PrincipalFacts = ContactKinds &
  StatedProfile & {
    id: string;
    /** Of the human, or of the principal that registered the organization; null for one who signs in with an access token. */
    wallet: Address | null;
    /** Its identity token, as long as its wallet owns the token. */
    tokenId: number | null;
    description: string;
    image: string | null;
    skills: string[];
    domains: string[];
    /** ISO 8601. */
    createdAt: string;
    updatedAt: string;
  };

export type HumanFacts = PrincipalFacts & {
  name: string;
  organization: string;
  /** Stated accounts; they are not proven. */
  linkedAccounts: Record<string, string>;
  /** The exchange's unrevoked attestation of the wallet with the latest expiry; Unix seconds, 0: never expires. */
  attestation: { expiresAt: number } | null;
  /** Score of the wallet at Ethos; null: never fetched; a null value: Ethos has no score. */
  ethos: FetchedValue<number | null> | null;
  /** Number of transactions the wallet has sent; null: unknown. */
  transactions: FetchedValue<number> | null;
  /** Successful sessions with the linked agents, counted since each came to its present owner. */
  sessionSuccesses: number;
  /** Agents registered with the referral codes of the linked agents, counted since each came to its present owner. */
  referrals: number;
  /** Agents with valid links now, in the order of linking. */
  agents: LinkedAgent[];
};

/** A member of an organization: a wallet, or the token id of an agent. */
export type Member = Address | number;

export type OrganizationFacts = PrincipalFacts & {
  slug: string;
  /** The human who registered it, if the registrant is a registered human. */
  registeredBy: string | null;
  displayName: string;
  organizationType: string;
  roles: string[];
  links: Record<string, string>;
  /** Stated members. They have not agreed, and membership has no effect on them. */
  members: Member[];
};
