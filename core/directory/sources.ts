/** The foreign registries with their readers, one for each row of registries.ts. A missing reader is a compile error. */
import { REGISTRIES, type RegistryKey, type RegistryRow } from "./registries.ts";
import { agentverse } from "./sources/agentverse.ts";
import { mcpRegistry } from "./sources/mcp-registry.ts";
import { scan8004 } from "./sources/scan-8004.ts";
import type { ItemReader, SourceReader } from "./sources/source.ts";
import { virtuals } from "./sources/virtuals.ts";
import { x402Bazaar } from "./sources/x402-bazaar.ts";

const READERS: { [K in RegistryKey]: ItemReader<K> } = {
  virtuals,
  agentverse,
  "mcp-registry": mcpRegistry,
  "x402-bazaar": x402Bazaar,
  "8004scan": scan8004,
};

/** Every pulled registry, in the order of the list. */
export const SOURCES: readonly (SourceReader & { key: RegistryKey })[] = REGISTRIES.map((row: RegistryRow) => ({
  ...row,
  ...READERS[row.key as RegistryKey],
}));
