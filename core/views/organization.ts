/** The public view of an organization. */
import { checksum } from "../addresses.ts";
import type { Address } from "../agents/facts.ts";
import type { ContactKinds, Member, OrganizationFacts, StatedProfile } from "../principals/facts.ts";

export type OrganizationView = StatedProfile & {
  id: string;
  slug: string;
  walletAddress: Address | null;
  tokenId: number | null;
  entityType: "organization";
  displayName: string;
  description: string;
  image: string | null;
  organizationType: string;
  roles: string[];
  skills: string[];
  domains: string[];
  links: Record<string, string>;
  contact: ContactKinds;
  members: Member[];
  registeredBy: string | null;
  createdAt: string;
  updatedAt: string;
};

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
