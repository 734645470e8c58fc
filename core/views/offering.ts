/** The view of what one agent offers: its offers and endpoints, by what it is trusted, and who else has its name or its endpoints. */
import type { Protocol } from "../directory/protocols.ts";
import type { Factor } from "../discovery/query.ts";
import type { Confirmation } from "../offers/confirmations.ts";
import type { EndpointState } from "../offers/liveness.ts";
import { type HitBackground, type NamedService, type Offer, servicesOf, spokenBy } from "./discovery.ts";

/** Who is paid for a call: the agent's own wallet, its owner, or somebody else. */
export const RECEIVERS = ["agent", "owner", "other"] as const;
type Receiver = (typeof RECEIVERS)[number];

/** An agent that has something in common with the one asked about. Texts are strangers'. */
type AlikeAgent = {
  platform: string;
  agentId: string;
  tokenId: number | null;
  name: string;
  credScore: number;
  /** ISO 8601; null where its registry does not say. */
  registeredAt: string | null;
  sameOwner: boolean;
};
/** `agents`: the first of them, the oldest first. `count` stops at `MAX_COUNTED_ALIKE`. */
export type AlikeAgents = { count: number; agents: AlikeAgent[] };

export const MAX_COUNTED_ALIKE = 1_000;
export const MAX_ALIKE_SHOWN = 5;

/** Names are people's own words. */
export type OfferingParties = {
  owner: string | null;
  /** ISO 8601; null where it is not known. */
  ownerSince: string | null;
  /** The exchange attests the owner's wallet, whether or not the agent has claimed it; null for agents of other registries. */
  attested: boolean | null;
  human: { id: string; name: string } | null;
  organization: { slug: string; name: string } | null;
};

export type EndpointView = {
  kind: string;
  url: string;
  status: EndpointState["status"];
  /** ISO 8601, each null where it never happened. */
  answeredAt: string | null;
  silentSince: string | null;
  checkedAt: string | null;
  /** Why the last read gave no offers, a sentence. */
  why: string | null;
  /** Only the agent names it: it counts for nothing. */
  named: boolean;
  /** What shows that it is the agent's; null where it is only named. */
  confirmedBy: Confirmation | null;
  /** What was read last is signed by a key of this host: who served it, not whether it is true. */
  isSigned: boolean;
};

export type Offering = {
  platform: string;
  tokenId: number | null;
  address: string | null;
  ownerAddress: string | null;
  x402Supported: boolean;
  background: HitBackground;
  endpoints: EndpointView[];
  /** Null for a row that the search has no document of yet. */
  trust: { value: number; factors: Factor[] } | null;
  sameName: AlikeAgents;
  sameEndpoint: AlikeAgents;
};

export type OfferingView = {
  behind: OfferingParties;
  trust: number | null;
  factors: Factor[];
  speaks: Protocol[];
  services: NamedService[];
  offers: (Omit<Offer, "isRead" | "isAnothers"> & { receiver: Receiver | null })[];
  offerCount: number;
  liveness: HitBackground["liveness"];
  endpoints: EndpointView[];
  sameName: AlikeAgents;
  sameEndpoint: AlikeAgents;
};

export function offeringView(
  { background, endpoints, trust, sameName, sameEndpoint, ...agent }: Offering,
  behind: OfferingParties,
): OfferingView {
  const { offers, liveness } = background;
  const offerCount = background.offerCount + background.namedCount;
  return {
    behind,
    trust: trust?.value ?? null,
    factors: trust?.factors ?? [],
    speaks: spokenBy({ x402Supported: agent.x402Supported }, background),
    services: servicesOf(background),
    offers: offers.map(({ isRead: _, isAnothers: __, ...offer }) => ({
      ...offer,
      receiver: receiverOf(offer.accepts, agent),
    })),
    offerCount,
    liveness,
    endpoints,
    sameName,
    sameEndpoint,
  };
}

/** Null where the terms name no receiver, or several kinds of them. */
function receiverOf(
  accepts: unknown,
  { address, ownerAddress }: Pick<Offering, "address" | "ownerAddress">,
): Receiver | null {
  if (!Array.isArray(accepts)) return null;
  const kinds = new Set(
    accepts.flatMap((accept): Receiver[] => {
      const payTo = (accept as { payTo?: unknown } | null)?.payTo;
      if (typeof payTo !== "string") return [];
      const receiver = payTo.toLowerCase();
      return [receiver === address ? "agent" : receiver === ownerAddress ? "owner" : "other"];
    }),
  );
  const [only, ...others] = kinds;
  return only === undefined || others.length > 0 ? null : only;
}
