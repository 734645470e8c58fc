/** What of an agent is read: one reader per kind of endpoint. A further kind is one entry here. */

import { canonicalHash } from "../canonical-json.ts";
import { hasPlaceholder } from "../directory/foreign-text.ts";
import { agentCard } from "./agent-card.ts";
import { mcp } from "./mcp.ts";
import type { OfferReader } from "./reader.ts";
import { addressOf, type SourceKind, sourceKindOf } from "./source-kinds.ts";
import { x402 } from "./x402.ts";

export const OFFER_READERS: Readonly<Record<SourceKind, OfferReader>> = { agent_card: agentCard, mcp, x402 };

/** An endpoint to read. */
export type Source = {
  kind: SourceKind;
  url: string;
  host: string;
  /** Hash of the canonical form of the registration's entry that names it. */
  declared: string;
};

/** Max endpoints of one agent that are read: the first of its list. */
const MAX_SOURCES = 8;

/** The endpoints of an agent's services that are read, each once. */
export function sourcesOf(services: unknown): Source[] {
  const sources = new Map<string, Source>();
  for (const raw of Array.isArray(services) ? services.slice(0, 64) : []) {
    const entry = (raw ?? {}) as Record<string, unknown>;
    const { name, endpoint } = entry;
    const kind = typeof name === "string" ? sourceKindOf(name) : undefined;
    const url = addressOf(endpoint);
    if (!kind || url === null || !/^https?:$/.test(url.protocol) || hasPlaceholder(url.href)) continue;
    sources.set(`${kind} ${url.href}`, {
      kind,
      url: url.href,
      host: url.host.slice(0, 260),
      declared: canonicalHash(entry),
    });
    if (sources.size === MAX_SOURCES) break;
  }
  return [...sources.values()];
}
