/** What an agent lists about itself: services, skills, domains and metadata. Shown as stated; nothing of it is checked or counts. */
import type { AgentFacts } from "./facts.ts";
import type { JsonObject } from "./json.ts";

/** A way to reach an agent: `url` is http or https; others have a `handle`, an `address` or a `name` instead. */
export type ListedService = JsonObject & { url?: string };

export type Listing = {
  /** By name: `mcp`, `a2a`, `web`, … */
  services: Record<string, ListedService>;
  skills: string[];
  domains: string[];
  metadata: JsonObject;
};

export const LISTING_FIELDS = ["services", "skills", "domains", "metadata"] as const satisfies (keyof Listing)[];

/** The listing as last written; a field never written is empty. The chain has no place for any of it. */
export function listingOf({ profile }: Pick<AgentFacts, "profile">): Listing {
  const listing: Listing = { services: {}, skills: [], domains: [], metadata: {} };
  for (const { field, value } of profile) if (isListed(field)) Object.assign(listing, { [field]: value });
  return listing;
}

const isListed = (field: string) => LISTING_FIELDS.some((listed) => listed === field);

/** Fields of a service that say where it is, the first one given counts. */
const PLACES = ["url", "endpoint", "address", "handle", "name", "id"] as const;

/** Where a service is to be found: a URL, or a name in whatever network the service belongs to. Null when it does not say. */
export function placeOf(service: Readonly<Record<string, unknown>>): string | null {
  for (const field of PLACES) {
    const place = service[field];
    if (typeof place === "string") return place;
  }
  return null;
}
