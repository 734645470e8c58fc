/** The view of an agent found by discovery: its row, why it stands there, and what it offers. */
import type { Service } from "../directory/entry.ts";
import { type Protocol, protocolsOf } from "../directory/protocols.ts";
import { type DirectoryRow, type TerminalRow, terminalRow } from "../directory/row.ts";
import type { DiscoverHit } from "../discovery/query.ts";
import type { Json } from "../json.ts";
import type { Liveness } from "../offers/liveness.ts";
import type { OfferKind, Offer as StoredOffer } from "../offers/offer.ts";

/** An offer as it is shown. Texts are strangers', cleaned and bounded when they were stored. */
export type Offer = Omit<StoredOffer, "price" | "inputSchema"> & {
  /** The terms of payment as the resource states them (x402 `accepts`). */
  accepts: Json;
  /** JSON Schema of the input; null where none is known or it is longer than `MOST_JSON` characters (db/discovery/hit-background.ts). */
  inputSchema: Json;
  /** It was read at an endpoint of the agent; otherwise the agent's registry or its listing names it. */
  isRead: boolean;
};

/** What is shown of a hit beside its row. */
export type HitBackground = {
  id: number;
  services: Service[];
  /** The first of its offers, in the agent's own order. */
  offers: Offer[];
  /** Number of all its offers. */
  offerCount: number;
  /** Null where none of its endpoints is read. */
  liveness: Liveness | null;
};

export type FoundAgent = { hit: DiscoverHit; row: DirectoryRow; background: HitBackground };

/** Max offers of one hit in an answer. */
export const MOST_OFFERS = 12;

export type HitView = {
  agent: TerminalRow;
  rank: number;
  relevance: number;
  trust: number;
  foundBy: DiscoverHit["foundBy"];
  matched: DiscoverHit["matched"];
  factors: DiscoverHit["factors"];
  highlights: DiscoverHit["highlights"];
  speaks: Protocol[];
  services: Service[];
  offers: Omit<Offer, "isRead">[];
  offerCount: number;
  /** Null where none of its endpoints is read. */
  liveness: Liveness | null;
  copies: number;
};

/** @param publicUrl base URL of the service's own links */
export function hitView({ hit, row, background }: FoundAgent, publicUrl: string): HitView {
  const { rank, relevance, trust, foundBy, matched, factors, highlights, copies } = hit;
  return {
    agent: terminalRow(row, publicUrl),
    ...{ rank, relevance, trust, foundBy, matched, factors, highlights },
    speaks: spokenBy(row, background),
    services: background.services,
    offers: matchingFirst(background.offers, wordsOf(hit))
      .slice(0, MOST_OFFERS)
      .map(({ isRead: _, ...offer }) => offer),
    offerCount: background.offerCount,
    liveness: background.liveness,
    copies,
  };
}

/** The protocols of an agent: those of its services, and those of its offers. */
export function spokenBy(
  row: Pick<DirectoryRow, "x402Supported">,
  { services, offers }: Pick<HitBackground, "services" | "offers">,
): Protocol[] {
  const names = services.map(({ name }) => name.toLowerCase());
  const offered = offers.flatMap((offer) => protocolOf(offer)?.toLowerCase() ?? []);
  return protocolsOf([...names, ...offered], row.x402Supported);
}

/** The protocol that an offer is called by. Null for a skill that was not read from an agent card: nothing says how it is called. */
export const protocolOf = ({ kind, isRead }: Offer): Protocol | null =>
  kind === "skill" && !isRead ? null : PROTOCOL_OF[kind];
const PROTOCOL_OF: Record<OfferKind, Protocol> = { skill: "A2A", tool: "MCP", resource: "x402" };

/** The words of the query that were found in the agent, lower case, each once. */
export const wordsOf = ({ matched }: DiscoverHit): string[] => [
  ...new Set(matched.flatMap(({ words }) => words.map((word) => word.toLowerCase()))),
];

/** Offers with those first that have most of the words; equal ones keep their order. */
export function matchingFirst(offers: readonly Offer[], words: readonly string[]): Offer[] {
  const hits = new Map(
    offers.map((offer) => {
      const text = [offer.name, offer.description ?? "", ...offer.tags].join(" ").toLowerCase();
      return [offer, words.filter((word) => text.includes(word)).length];
    }),
  );
  return offers.toSorted((a, b) => hits.get(b)! - hits.get(a)!);
}
