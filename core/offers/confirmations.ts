/** What shows that an endpoint is an agent's: naming one is free, so one that only its agent names counts for nothing. */

/**
 * - `host_file`: `/.well-known/agent-registration.json` of its host names the agent
 * - `registration_file`: the agent's registration file is on its host, in its folder or above, and names the agent
 * - `payee`: its terms pay the agent's proven wallet
 * - `namespace`: the registry gave the agent the namespace of its domain
 */
export const CONFIRMATIONS = ["host_file", "registration_file", "payee", "namespace"] as const;
