/** The foreign registries with their readers, one for each row of registries.ts. A missing reader is a compile error. */
import { REGISTRIES, type RegistryKey, type RegistryRow } from "./registries.ts";
import { agentverse } from "./registry-readers/agentverse.ts";
import { mcpRegistry } from "./registry-readers/mcp-registry.ts";
import type { ItemReader, RegistryReader } from "./registry-readers/reader.ts";
import { scan8004 } from "./registry-readers/scan-8004.ts";
import { virtuals } from "./registry-readers/virtuals.ts";
import { x402Bazaar } from "./registry-readers/x402-bazaar.ts";

const READERS: { [K in RegistryKey]: ItemReader<K> } = {
  virtuals,
  agentverse,
  "mcp-registry": mcpRegistry,
  "x402-bazaar": x402Bazaar,
  "8004scan": scan8004,
};

/** Every pulled registry, in the order of the list. */
export const REGISTRY_READERS: readonly (RegistryReader & { key: RegistryKey })[] = REGISTRIES.map(
  (row: RegistryRow) => ({
    ...row,
    ...READERS[row.key as RegistryKey],
  }),
);
