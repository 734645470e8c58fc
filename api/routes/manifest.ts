/** The manifest by which machines find the service: /.well-known/agent-registry. */
import { checksum } from "../../core/addresses.ts";
import { shownPricing } from "../../core/payments/prices.ts";
import { CACHE, type Endpoint, endpoint } from "../endpoint.ts";
import { API_VERSION } from "../http/headers.ts";
import { manifestSchema } from "../schemas/manifest.ts";
import { DESCRIPTION, signInInfo } from "../services/sign-in-info.ts";

/** The capabilities of the service by their paths: a capability is listed while its path exists. */
const CAPABILITIES: Record<string, string> = {
  "agent-registration": "/api/v2/mint",
  "solana-registration": "/api/v2/register/solana",
  "agent-profiles": "/api/v2/agent/{ref}",
  "agent-search": "/api/v2/search",
  "cred-score": "/api/v2/agent/{ref}/cred",
  "cred-report": "/api/v2/agent/{ref}/cred-report",
  "cred-updates": "/api/v2/cred/updates",
  verification: "/api/v2/agent/{ref}/verifications",
  metadata: "/api/v2/metadata/{id}",
  "card-images": "/api/v2/card/{file}",
  names: "/api/v2/name/{name}",
  referrals: "/api/v2/referral/{code}",
  messaging: "/api/v2/messages/groups",
  principals: "/api/v2/organizations",
  directory: "/api/terminal/agents",
  events: "/api/v2/events",
  mcp: "/mcp",
  a2a: "/a2a",
};

/** @param listed every endpoint there is */
export const manifestEndpoint = (listed: () => readonly Endpoint[]): Endpoint =>
  endpoint({
    path: "/.well-known/agent-registry",
    operationId: "getManifest",
    tag: "Service",
    summary: "The service's manifest, for machines",
    responses: { 200: { description: "The manifest", schema: manifestSchema } },
    cache: CACHE.release,
    handler({ deps: { config, payments } }, json) {
      const { service, chain, contracts } = config;
      const paths = new Set(listed().map(({ path }) => path));
      const api = `${service.publicUrl}/api/v2`;
      return json({
        name: service.name,
        description: DESCRIPTION,
        version: API_VERSION,
        chain: "base",
        chainId: chain.id,
        contract: checksum(contracts.identity.address),
        standards: ["ERC-721", "ERC-8004", "SIWA", "x402", "MPP"],
        capabilities: Object.keys(CAPABILITIES).filter((capability) => paths.has(CAPABILITIES[capability]!)),
        endpoints: {
          api,
          mcp: `${service.publicUrl}/mcp`,
          a2a: `${service.publicUrl}/a2a`,
          agentCard: `${service.publicUrl}/.well-known/agent-card.json`,
          x402: `${service.publicUrl}/.well-known/x402.json`,
          agents: `${api}/agents`,
          mint: `${api}/mint`,
          metadata: `${api}/metadata/{id}`,
          openapi: `${api}/openapi.json`,
          website: service.webUrl,
          docs: `${service.publicUrl}/docs`,
        },
        pricing: shownPricing(payments.shown()),
        auth: signInInfo(config),
        social: service.social,
      });
    },
  });
