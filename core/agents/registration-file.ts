/** The ERC-8004 registration file of an agent, which its owner may publish in the canonical registry. */
import { agentLink, recordsAt } from "../links.ts";
import { isBlank } from "../text.ts";
import { imageUrl, type Site } from "../views/agent.ts";
import type { AgentFacts } from "./facts.ts";
import { type ListedService, listingOf, placeOf } from "./listing.ts";
import { mergeProfile } from "./profile.ts";

/** A service of the file. The standard defines skills and domains for OASF records only; other services may have them too. */
type RegisteredService = { name: string; endpoint: string; version?: string; skills?: string[]; domains?: string[] };

/**
 * The current file of an agent.
 * @param registrations its numbers in registries of this standard; empty before the registration, in which the registry assigns one
 * @see https://eips.ethereum.org/EIPS/eip-8004#registration-v1
 */
export function registrationFile(
  facts: AgentFacts,
  site: Site,
  now: Date,
  registrations: { agentId: number; agentRegistry: string }[] = [],
) {
  const { narrative, socials } = mergeProfile(facts);
  const own = [narrative?.mission, narrative?.origin].find((text) => text !== undefined && !isBlank(text));
  return {
    type: "https://eips.ethereum.org/EIPS/eip-8004#registration-v1",
    name: facts.name,
    description: own ?? `${facts.name} is an AI agent (${facts.framework}) with an on-chain identity on Base.`,
    image: imageUrl(facts, site, now),
    services: registeredServices(facts, site, socials.website),
    x402Support: false,
    active: true,
    registrations,
    supportedTrust: ["reputation"],
  };
}

/** The address by which a file names the agent's record here. */
const recordOf = ({ tokenId }: Pick<AgentFacts, "tokenId">, { publicUrl }: Pick<Site, "publicUrl">) =>
  recordsAt(publicUrl) + tokenId;

/** Max characters of a URI on chain that is read here. */
const MAX_URI_LENGTH = 65_536;
const INLINE = "data:application/json;base64,";

/** The file as the URI of a registration: inside of it, so that nothing has to be served. */
export const registrationUri = (file: ReturnType<typeof registrationFile>): string =>
  INLINE + Buffer.from(JSON.stringify(file), "utf8").toString("base64");

/**
 * What the URI of a registration, which anyone may have written, says of an agent.
 * @returns `other`: another agent's, or none that can be read here; `current`: the file of today, except for its picture
 *   and its numbers; `outdated`: an earlier file of this agent
 */
export function registeredFile(
  uri: string,
  facts: AgentFacts,
  site: Site,
  now: Date,
): "current" | "outdated" | "other" {
  if (uri.length > MAX_URI_LENGTH || !uri.startsWith(INLINE)) return "other";
  const record = recordOf(facts, site);
  try {
    const file = JSON.parse(Buffer.from(uri.slice(INLINE.length), "base64").toString("utf8"));
    if (
      !Array.isArray(file?.services) ||
      !file.services.some((one: { endpoint?: unknown } | null) => one?.endpoint === record)
    )
      return "other";
    return comparable(file) === comparable(registrationFile(facts, site, now)) ? "current" : "outdated";
  } catch {
    return "other";
  }
}

const comparable = (file: object): string => JSON.stringify({ ...file, image: null, registrations: null });

/** Spelling of service names in the standard, by their lower-case form. */
const STANDARD_NAMES: Record<string, string> = {
  web: "web",
  email: "email",
  ...Object.fromEntries(["MCP", "A2A", "OASF", "ENS", "DID"].map((name) => [name.toLowerCase(), name])),
};

/** The agent's page and its API record, then the listed services that have a location. */
function registeredServices(facts: AgentFacts, site: Site, website: string | undefined): RegisteredService[] {
  const { services, skills, domains } = listingOf(facts);
  const listed = Object.entries(services).flatMap(([name, service]) => registered(name, service) ?? []);
  const web = listed.find(({ name }) => name === "web");
  const record = { name: site.serviceName, endpoint: recordOf(facts, site) };
  const all: RegisteredService[] = [
    web ?? { name: "web", endpoint: website ?? agentLink(site.webUrl, facts.tokenId) },
    record,
    ...listed.filter((service) => service !== web),
  ];
  const described = all.find(({ name }) => name === "OASF") ?? record;
  if (skills.length > 0) Object.assign(described, { skills });
  if (domains.length > 0) Object.assign(described, { domains });
  return all;
}

function registered(name: string, service: ListedService): RegisteredService | null {
  const endpoint = placeOf(service);
  if (endpoint === null) return null;
  const { version } = service;
  return {
    name: STANDARD_NAMES[name.toLowerCase()] ?? name,
    endpoint,
    ...(typeof version === "string" && { version }),
  };
}
