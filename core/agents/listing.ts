/** The listing of an agent: services, skills, domains and metadata. They are shown as stated, not checked, and not part of the score. */
import type { JsonObject } from "../json.ts";
import type { AgentFacts } from "./facts.ts";

/** A service of an agent: `url` is http or https; without one, the first of the other PLACES locates it, if there is any. */
export type ListedService = JsonObject & { url?: string };

export type Listing = {
  /** Services by name: `mcp`, `a2a`, `web`, … */
  services: Record<string, ListedService>;
  skills: string[];
  domains: string[];
  metadata: JsonObject;
};

export const LISTING_FIELDS = ["services", "skills", "domains", "metadata"] as const satisfies (keyof Listing)[];

/** The listing as last written; a field that was never written is empty. None of it is stored on chain. */
export function listingOf({ profile }: Pick<AgentFacts, "profile">): Listing {
  const listing: Listing = { services: {}, skills: [], domains: [], metadata: {} };
  for (const { field, value } of profile) if (isListed(field)) Object.assign(listing, { [field]: value });
  return listing;
}

const isListed = (field: string) => LISTING_FIELDS.some((listed) => listed === field);

/** Fields that locate a service; the first one present is used. */
export const PLACES = ["url", "endpoint", "address", "handle", "name", "id"] as const;

/** The location of a service: a URL, or a name in the service's own network. Null when it has none. */
export function placeOf(service: Readonly<Record<string, unknown>>): string | null {
  for (const field of PLACES) {
    const place = service[field];
    if (typeof place === "string") return place;
  }
  return null;
}
