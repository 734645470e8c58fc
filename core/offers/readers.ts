/** What of an agent is read: one reader per kind of endpoint. A further kind is one entry here. */
import { foreignLink } from "../directory/foreign-text.ts";
import { protocolsOf } from "../directory/protocols.ts";
import { urlOf } from "../urls.ts";
import { agentCard } from "./agent-card.ts";
import { mcp } from "./mcp.ts";
import type { OfferReader } from "./reader.ts";
import { x402 } from "./x402.ts";

export const OFFER_READERS: readonly OfferReader[] = [agentCard, mcp, x402];
export type SourceKind = OfferReader["kind"];

/** An endpoint to read. */
export type Source = { kind: SourceKind; url: string; host: string };

/** Max endpoints of one agent that are read: the first of its list. */
export const MAX_SOURCES = 8;

/** The endpoints of an agent's services that are read, each once. */
export function sourcesOf(services: unknown): Source[] {
  const sources = new Map<string, Source>();
  for (const raw of Array.isArray(services) ? services.slice(0, 64) : []) {
    const { name, endpoint } = (raw ?? {}) as Record<string, unknown>;
    const reader = typeof name === "string" ? readerOf(name) : undefined;
    const url = urlOf(foreignLink(endpoint) ?? "");
    // An address with places to fill in leads nowhere.
    if (!reader || url === null || !/^https?:$/.test(url.protocol) || /%7b|\{/i.test(url.href)) continue;
    url.hash = "";
    sources.set(`${reader.kind} ${url.href}`, { kind: reader.kind, url: url.href, host: url.host.slice(0, 260) });
    if (sources.size === MAX_SOURCES) break;
  }
  return [...sources.values()];
}

function readerOf(name: string): OfferReader | undefined {
  const [protocol] = protocolsOf([name.toLowerCase()], false);
  return OFFER_READERS.find((reader) => reader.protocol === protocol);
}
