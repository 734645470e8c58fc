/** Every foreign registry that is pulled page by page. A new one is a file in sources/, a line here, and its pages in clients/registries.ts. */
import { agentverse } from "./sources/agentverse.ts";
import { mcpRegistry } from "./sources/mcp-registry.ts";
import { scan8004 } from "./sources/scan-8004.ts";
import type { SourceReader } from "./sources/source.ts";
import { virtuals } from "./sources/virtuals.ts";
import { x402Bazaar } from "./sources/x402-bazaar.ts";

export const SOURCES = [
  virtuals,
  agentverse,
  mcpRegistry,
  x402Bazaar,
  scan8004,
] as const satisfies readonly SourceReader[];
