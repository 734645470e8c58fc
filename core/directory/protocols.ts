/** The common protocols of agents, recognised by the names that registries give to services. */

export const PROTOCOLS = ["MCP", "A2A", "OASF", "Web", "x402"] as const;
export type Protocol = (typeof PROTOCOLS)[number];

/** Protocols by the names of services in registries, lower case. */
const KNOWN: Record<string, Protocol> = {
  mcp: "MCP",
  "streamable-http": "MCP",
  sse: "MCP",
  a2a: "A2A",
  oasf: "OASF",
  web: "Web",
  website: "Web",
  http: "Web",
  https: "Web",
  x402: "x402",
};

/** The protocols of an agent, each once, in the order of `PROTOCOLS`. @param names names of its services, lower case */
export function protocolsOf(names: readonly string[], takesX402: boolean): Protocol[] {
  const spoken = new Set(names.map((name) => KNOWN[name]));
  if (takesX402) spoken.add("x402");
  return PROTOCOLS.filter((protocol) => spoken.has(protocol));
}
