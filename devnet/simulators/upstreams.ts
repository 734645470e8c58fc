/** Every upstream there is a simulator of. A platform or a registry without a simulator does not compile. */
import { REGISTRIES, type RegistryKey, type RegistryRow } from "../../core/directory/registries.ts";
import type { ByProofPlatform } from "../../core/proof-platforms.ts";
import { agentHosts } from "./agent-hosts/agent-hosts.ts";
import { dexscreener } from "./dexscreener.ts";
import { embeddings } from "./embeddings.ts";
import { ethos } from "./ethos.ts";
import { farcaster } from "./farcaster.ts";
import { github } from "./github.ts";
import { identityProvider, identityProviderEnvironment } from "./identity-provider.ts";
import { agentverse } from "./registries/agentverse.ts";
import { mcpRegistry, scan8004, virtuals, x402Bazaar } from "./registries/lists.ts";
import type { SimulatedPlatform, SimulatedRegistry, SimulatedUpstream } from "./simulator.ts";
import { x } from "./x.ts";

export const PLATFORM_SIMULATORS: ByProofPlatform<SimulatedPlatform> = { x, github, farcaster };

export const REGISTRY_SIMULATORS: Record<RegistryKey, SimulatedRegistry> = {
  virtuals,
  agentverse,
  "mcp-registry": mcpRegistry,
  "x402-bazaar": x402Bazaar,
  "8004scan": scan8004,
};

/** A registry's simulator is at the path of its key. */
const registries = REGISTRIES.map(({ key, variables }: RegistryRow) => ({
  make: REGISTRY_SIMULATORS[key as RegistryKey].make,
  environment: (url: string) => ({ [variables.url.name]: `${url}/${key}` }),
}));

export const SIMULATORS: readonly SimulatedUpstream[] = [
  ...Object.values(PLATFORM_SIMULATORS),
  embeddings,
  ethos,
  identityProvider,
  ...registries,
  dexscreener,
  agentHosts,
];

/** Variables of the service. @param url of the running simulators */
export const simulatedUpstreams = (
  url: string,
): Record<string, string> & ReturnType<typeof identityProviderEnvironment> =>
  Object.assign({}, ...SIMULATORS.map(({ environment }) => environment(url)), identityProviderEnvironment(url));
