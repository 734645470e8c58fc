/** The pages of the foreign registries: an opener for each row of core/directory/registries.ts. A missing one is a compile error. */
import { REGISTRIES, type RegistryKey, type RegistryRow } from "../core/directory/registries.ts";
import { isLoopback } from "./http/public-address.ts";
import type { Http } from "./http.ts";
import type { Registries } from "./ports.ts";
import { agentversePages } from "./registries/agentverse.ts";
import { mcpRegistryPages } from "./registries/mcp-registry.ts";
import type { OpenPages } from "./registries/pages.ts";
import { scan8004Pages } from "./registries/scan-8004.ts";
import { virtualsPages } from "./registries/virtuals.ts";
import { x402BazaarPages } from "./registries/x402-bazaar.ts";

export const PAGES: Record<RegistryKey, OpenPages> = {
  virtuals: virtualsPages,
  agentverse: agentversePages,
  "mcp-registry": mcpRegistryPages,
  "x402-bazaar": x402BazaarPages,
  "8004scan": scan8004Pages,
};

/** The values of each registry's variables, by the registry's key. */
export type RegistrySettings = Record<string, { url: string; key?: string | undefined }>;

/** Rate of a registry on this machine: it is simulated and needs no limit. */
const UNLIMITED = { burst: 10_000, perSecond: 10_000 };

/** Opens every registry at the rate that it allows, with its limits of time and size. */
export function openRegistries(
  settings: RegistrySettings,
  { http, chainId }: { http: Http; chainId: number },
  registries: readonly RegistryRow[] = REGISTRIES,
  pages: Readonly<Record<string, OpenPages>> = PAGES,
): Registries {
  const open = (row: RegistryRow) => {
    const { url, key } = settings[row.key]!;
    const perSecond = key ? (row.perSecondWithKey ?? row.perSecond) : row.perSecond;
    const upstream = http.upstream({
      name: row.sentenceName ?? row.label,
      baseUrl: url,
      headers: key ? { "x-api-key": key } : {},
      rate: isLoopback(url) ? UNLIMITED : { burst: 10, perSecond },
      maxBytes: row.maxBytes,
      maxMs: row.maxSeconds * 1000,
    });
    return pages[row.key]!(upstream, { chainId, pageSize: row.pageSize });
  };
  return Object.fromEntries(registries.map((row) => [row.key, open(row)]));
}
