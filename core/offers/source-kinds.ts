/** The kinds of endpoints that are read, by the protocol of the services that name them. A further kind needs its reader (readers.ts). */
import { foreignLink } from "../directory/foreign-text.ts";
import { type Protocol, protocolsOf } from "../directory/protocols.ts";
import { urlOf } from "../urls.ts";

const SOURCE_KINDS = { agent_card: "A2A", mcp: "MCP", x402: "x402" } as const satisfies Record<string, Protocol>;
export type SourceKind = keyof typeof SOURCE_KINDS;

/** Names of a service that is an OpenAPI document of paid operations. */
const OPENAPI = /^open-?api\b/i;

/** The kind of endpoint that a service is. @param name of the service; undefined where it is not read */
export function sourceKindOf(name: string): SourceKind | undefined {
  if (OPENAPI.test(name)) return "x402";
  const [protocol] = protocolsOf([name.toLowerCase()], false);
  return (Object.keys(SOURCE_KINDS) as SourceKind[]).find((kind) => SOURCE_KINDS[kind] === protocol);
}

/** The address of a service as it is read, without a fragment; null where it is none. */
export function addressOf(endpoint: unknown): URL | null {
  const url = urlOf(foreignLink(endpoint) ?? "");
  if (url) url.hash = "";
  return url;
}

/**
 * The protocols of an agent as far as they are seen, in the order of `PROTOCOLS`. Whether it takes x402 is a fact of its
 * row (`x402_supported`), not of a name.
 * @param names of its services @param unspoken kinds of its endpoints that never answered as they should
 */
export function spokenOf(
  names: readonly string[],
  { unspoken, takesX402 }: { unspoken: readonly SourceKind[]; takesX402: boolean },
): Protocol[] {
  const seen = names.filter((name) => !unspoken.some((kind) => kind === sourceKindOf(name)));
  const named = protocolsOf(
    seen.map((name) => name.toLowerCase()),
    takesX402,
  );
  return named.filter((protocol) => protocol !== "x402" || takesX402);
}
