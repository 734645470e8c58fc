/** How the service is told to ask the simulators instead of the real upstreams. */
import { IDP_AUDIENCE } from "./identity-provider.ts";

/** Any word will do: the simulators check that there is a key, not which. */
const KEY = "simulated";

/** Variables of the service. @param url of the running simulators */
export const simulatedUpstreams = (url: string) => ({
  X_API_URL: `${url}/x`,
  X_BEARER_TOKEN: KEY,
  GITHUB_API_URL: `${url}/github`,
  GITHUB_RAW_URL: `${url}/github-raw`,
  GITHUB_TOKEN: KEY,
  FARCASTER_HUB_URL: `${url}/farcaster`,
  NEYNAR_API_URL: `${url}/neynar`,
  ETHOS_API_URL: `${url}/ethos`,
  DEXSCREENER_API_URL: `${url}/dexscreener`,
  VIRTUALS_API_URL: `${url}/virtuals`,
  AGENTVERSE_API_URL: `${url}/agentverse`,
  MCP_REGISTRY_URL: `${url}/mcp-registry`,
  X402_BAZAAR_URL: `${url}/x402-bazaar`,
  SCAN8004_API_URL: `${url}/8004scan`,
  IDP_ISSUER: `${url}/idp`,
  IDP_AUDIENCE,
  IDP_JWKS_URL: `${url}/idp/.well-known/jwks.json`,
});
