/** The agents that a registration file (ERC-8004) names: so its host confirms that their endpoints are there. */

/** Where a host says which agents are its own. */
export const HOST_FILE = "/.well-known/agent-registration.json";

/** Max agents that one document names; of more the first count. */
const MAX_NAMED = 2_000;

/**
 * The agents of a file, each once and in lower case: `eip155:<chain>:<registry>/<agentId>` of its `registrations`, and the
 * addresses of its services `agentWallet`. Entries of another shape are left out.
 */
export function namedAgents(file: unknown): string[] {
  const { registrations, services, endpoints } = (file ?? {}) as Record<string, unknown>;
  const wallets = listOf(services ?? endpoints).flatMap(({ name, endpoint }) => {
    const address = typeof endpoint === "string" && /^agentwallet$/i.test(String(name)) ? CAIP_10.exec(endpoint) : null;
    return address ? address[1]!.toLowerCase() : [];
  });
  const agents = listOf(registrations).flatMap(({ agentId, agentRegistry }) => {
    // A number that is not safe was another one in the file.
    const isId =
      typeof agentId === "string" ? DECIMAL.test(agentId) : Number.isSafeInteger(agentId) && Number(agentId) >= 0;
    return isId && typeof agentRegistry === "string" && CAIP_10.test(agentRegistry)
      ? `${agentRegistry.toLowerCase()}/${agentId}`
      : [];
  });
  return [...new Set([...wallets, ...agents])].slice(0, MAX_NAMED);
}

const listOf = (raw: unknown): Record<string, unknown>[] =>
  (Array.isArray(raw) ? raw.slice(0, MAX_NAMED) : []).filter((entry) => entry !== null && typeof entry === "object");

const DECIMAL = /^(?:0|[1-9]\d{0,77})$/;
const CAIP_10 = /^eip155:[1-9]\d{0,8}:(0x[0-9a-f]{40})$/i;
