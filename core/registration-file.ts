/** The ERC-8004 registration file of an agent: what its owner may publish in the canonical registry. */
import type { AgentFacts } from "./facts.ts";
import { agentLink } from "./links.ts";
import { mergeProfile } from "./profile.ts";
import { isBlank } from "./text.ts";
import { imageUrl } from "./views/image.ts";
import type { Site } from "./views/site.ts";

/** @see https://eips.ethereum.org/EIPS/eip-8004#registration-v1 */
export type RegistrationFile = {
  type: "https://eips.ethereum.org/EIPS/eip-8004#registration-v1";
  name: string;
  description: string;
  image: string;
  services: { name: string; endpoint: string }[];
  x402Support: boolean;
  active: boolean;
  /** Empty before the registration: the registry gives the agent's number only then. */
  registrations: { agentId: number; agentRegistry: string }[];
  supportedTrust: string[];
};

/** The file of an agent as it is now. */
export function registrationFile(facts: AgentFacts, site: Site, now: Date): RegistrationFile {
  const { narrative, socials } = mergeProfile(facts);
  const own = [narrative?.mission, narrative?.origin].find((text) => text !== undefined && !isBlank(text));
  const website = socials.website;
  return {
    type: "https://eips.ethereum.org/EIPS/eip-8004#registration-v1",
    name: facts.name,
    description: own ?? `${facts.name} is an AI agent (${facts.framework}) with an on-chain identity on Base.`,
    image: imageUrl(facts, site, now),
    services: [
      { name: "web", endpoint: website ?? agentLink(site.webUrl, facts.tokenId) },
      { name: site.serviceName, endpoint: `${site.publicUrl}/api/v2/agent/${facts.tokenId}` },
    ],
    x402Support: false,
    active: true,
    registrations: [],
    supportedTrust: ["reputation"],
  };
}
