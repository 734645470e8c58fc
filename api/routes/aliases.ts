/** Further paths of endpoints, used by clients of other services. Guard, limits, caching and answer are the original's. */
import type { Endpoint } from "../endpoint.ts";

/** By alias: the original path, and the name of the operation in the OpenAPI document; `deprecated`: an earlier name. */
const ALIASES: Record<string, { of: string; operationId: string; deprecated?: true }> = {
  "/": { of: "/api/v2", operationId: "getRoot" },
  "/api/mcp": { of: "/mcp", operationId: "mcpUnderApi" },
  "/api/a2a": { of: "/a2a", operationId: "a2aUnderApi" },
  // A2A before version 0.3.
  "/.well-known/agent.json": { of: "/.well-known/agent-card.json", operationId: "getAgentJson" },
  "/.well-known/mcp/server-card.json": { of: "/.well-known/mcp.json", operationId: "getMcpServerCard" },
  "/.well-known/x402": { of: "/.well-known/x402.json", operationId: "getX402" },
  "/api/terminal/marks": { of: "/api/terminal/badges", operationId: "listTerminalMarks", deprecated: true },
  "/openapi.json": { of: "/api/v2/openapi.json", operationId: "getOpenApiJson" },
};

/** Endpoints with their aliases behind them, each with every method of its original. */
export function withAliases(endpoints: readonly Endpoint[]): Endpoint[] {
  const aliases = Object.entries(ALIASES).flatMap(([path, { of, ...alias }]) =>
    endpoints
      .filter((endpoint) => endpoint.path === of)
      .map((endpoint) => ({
        ...endpoint,
        ...alias,
        path,
        aliasOf: of,
        unlisted: true,
        description: `The same as ${endpoint.method.toUpperCase()} ${of}.`,
      })),
  );
  return [...endpoints, ...aliases];
}

/** The original path of each alias. */
export const aliasesOf = (endpoints: readonly Endpoint[]): Record<string, string> =>
  Object.fromEntries(endpoints.flatMap(({ path, aliasOf }) => (aliasOf === undefined ? [] : [[path, aliasOf]])));
