/** The view of an agent found by discovery: its row, the reasons of its place, and its offers. */
import { array, object, z } from "zod";
import type { Service } from "../directory/entry.ts";
import { PROTOCOLS, type Protocol } from "../directory/protocols.ts";
import { type DirectoryRow, terminalAgentSchema, terminalRow } from "../directory/row.ts";
import { type DiscoverHit, FACTOR_KEYS, FIELDS, FOUND_BY } from "../discovery/query.ts";
import { incomeWindowSchema, jobWindowSchema, paidWorkView } from "../income/view.ts";
import type { Json } from "../json.ts";
import type { Liveness } from "../offers/liveness.ts";
import { METHODS, type OfferKind, type Offer as StoredOffer } from "../offers/offer.ts";
import { addressOf, type SourceKind, spokenOf } from "../offers/source-kinds.ts";
import { reviewSummarySchema } from "../reviews/view.ts";
import { urlOf } from "../urls.ts";
import { count, moment } from "./fields.ts";

/** An offer as it is shown. Texts are untrusted, cleaned and bounded when they were stored. */
export type Offer = Omit<StoredOffer, "price" | "inputSchema"> & {
  /** The terms of payment as the resource states them (x402 `accepts`). */
  accepts: Json;
  /** JSON Schema of the input; null where none is known or it is longer than `MAX_JSON_CHARS` characters (db/discovery/hit-background.ts). */
  inputSchema: Json;
  /** It was read at an endpoint of the agent; otherwise the agent's registry or its listing names it. */
  isRead: boolean;
  /** It was read where only the agent says that it is the agent's: it counts for nothing. */
  named: boolean;
  /** It is only self-declared, and its host is shown to be another agent's. */
  isAnothers: boolean;
};

/** What is shown of a hit in addition to its row. */
export type HitBackground = {
  id: number;
  services: Service[];
  /** URLs of the endpoints that are shown to be the agent's. */
  confirmed: string[];
  /** The first of its offers, in the agent's own order; those that count come first. */
  offers: Offer[];
  /** Number of all its offers that count, and of those that do not. */
  offerCount: number;
  selfDeclaredCount: number;
  /** Kinds of its endpoints that never answered as they should. */
  unspoken: SourceKind[];
  /** Null where none of its endpoints is read. */
  liveness: Liveness | null;
};

export type FoundAgent = { hit: DiscoverHit; row: DirectoryRow; background: HitBackground };

export const MAX_OFFERS_SHOWN = 12;

export const fraction = z.number().min(0).max(1);
const anyJson = z.unknown().meta({ description: "JSON as the agent states it" });

export const named = z.boolean().meta({
  description: "Only the agent names it: nothing shows that it is the agent's, and it counts for nothing",
});

export const offerSchema = object({
  kind: z.enum(["skill", "tool", "resource"]).meta({
    description:
      "skill: of its A2A card, or named by its registry or its listing; tool: of its MCP server; resource: one that x402 pays for",
  }),
  name: z.string(),
  description: z.string().nullable(),
  tags: array(z.string()),
  endpoint: z.string().nullable(),
  named,
  method: z
    .enum(METHODS)
    .nullable()
    .meta({ description: "How a paid resource is called, as its terms state it; null = not stated" }),
  priceUsd: z.number().nullable().meta({ description: "US dollars of one call; null = not known" }),
  accepts: anyJson.optional(),
  inputSchema: anyJson.optional(),
});

export const factors = array(
  object({ key: z.enum(FACTOR_KEYS), value: fraction, weight: z.number(), says: z.string() }),
).meta({ description: "Each factor of its place with its weight, and a sentence that says why" });
export const speaks = array(z.enum(PROTOCOLS));
export const services = array(
  object({ name: z.string(), endpoint: z.string(), version: z.string().nullable(), named }),
);
export const liveness = object({
  value: fraction,
  says: z.string(),
  answeredAt: moment.nullable(),
  silentSince: moment.nullable(),
  named,
})
  .nullable()
  .meta({ description: "Whether its endpoints answer; null where none of them is read" });

export const hitSchema = object({
  agent: terminalAgentSchema,
  rank: z.number().meta({
    description:
      "What the order follows: relevance × trust; with `understood.meaning` = used the share of the best place by words and by meaning",
  }),
  relevance: fraction.meta({ description: "How well its words fit; 1 without words in the query" }),
  trust: fraction.meta({ description: "What is known about it, as in `factors`" }),
  foundBy: array(z.enum(FOUND_BY)).meta({
    description: "words: it has them; meaning: its text is near to the question",
  }),
  matched: array(object({ field: z.enum(FIELDS), words: array(z.string()) })),
  factors,
  reviews: reviewSummarySchema.nullable().meta({
    description: "What its ERC-8004 reviews are worth; null in other registries, and before they were weighed",
  }),
  payments: incomeWindowSchema.nullable().meta({
    description: "What its wallet was paid in the last 90 days; null where no payment is known. It moves no hit",
  }),
  jobs: jobWindowSchema.nullable().meta({
    description: "What it was hired for in the last 90 days; null where no job is known. It moves no hit",
  }),
  highlights: array(
    object({
      field: z.enum(FIELDS),
      text: z.string().meta({ description: "Untrusted plain text: show it as text, never as markup" }),
      ranges: array(array(z.int().min(0)).length(2)).meta({
        description: "Start and end of each matched word, in UTF-16 units",
      }),
    }),
  ).meta({ description: "Where the words are" }),
  speaks,
  services,
  offers: array(offerSchema).meta({
    description:
      "At most 12: those that count, the matching ones first, then those that are only self-declared, but for those of a host that is shown to be another agent's",
  }),
  offerCount: count.meta({ description: "All its offers that count" }),
  liveness,
  copies: count.meta({
    description:
      "Agents left out behind this one: near-identical ones of the same operator, ones of the same text, and others of its name",
  }),
}).meta({ id: "DiscoverHit" });

/** @param publicUrl base URL of the service's own links */
export function hitView({ hit, row, background }: FoundAgent, publicUrl: string): z.output<typeof hitSchema> {
  const { rank, relevance, trust, foundBy, matched, factors, reviews, highlights, copies } = hit;
  const agent = terminalRow(row, publicUrl);
  // Clients of discovery know an agent of another registry by `platform` and its bare number.
  const token_id = agent.tokenId === null && row.tokenId !== null ? String(row.tokenId) : agent.token_id;
  return {
    agent: { ...agent, token_id },
    rank,
    relevance,
    trust,
    foundBy: [...foundBy],
    matched,
    factors,
    reviews,
    ...paidWorkView(hit),
    highlights,
    speaks: spokenBy(row, background),
    services: servicesOf(background),
    offers: shownOffers(background, wordsOf(hit)).map(({ isRead: _, isAnothers: __, ...offer }) => offer),
    offerCount: background.offerCount,
    liveness: background.liveness,
    copies,
  };
}

/** `named`: nothing shows that the endpoint is the agent's. */
export type NamedService = Service & { named: boolean };

export const servicesOf = ({ services, confirmed }: Pick<HitBackground, "services" | "confirmed">): NamedService[] => {
  const shown = new Set(confirmed);
  return services.map((service) => ({ ...service, named: !shown.has(addressOf(service.endpoint)?.href ?? "") }));
};
/** Which offers that were read are called on a host where no endpoint is shown to be the agent's. */
export function elsewhereOf({ confirmed }: Pick<HitBackground, "confirmed">): (offer: Offer) => boolean {
  const hosts = new Set(confirmed.map((url) => urlOf(url)?.origin));
  return ({ endpoint, isRead }) => isRead && !hosts.has(urlOf(endpoint ?? "")?.origin);
}

/** The protocols of an agent: those of its services as far as they are seen, and those of its offers. */
export function spokenBy(
  row: Pick<DirectoryRow, "x402Supported">,
  background: Pick<HitBackground, "services" | "offers" | "unspoken">,
): Protocol[] {
  const spoken = spokenOf(
    background.services.map(({ name }) => name),
    { unspoken: background.unspoken, takesX402: row.x402Supported },
  );
  const offered = countingOf(background).flatMap((offer) =>
    offer.kind === "resource" ? [] : (protocolOf(offer) ?? []),
  );
  return PROTOCOLS.filter((protocol) => spoken.includes(protocol) || offered.includes(protocol));
}

/** The offers that count for an agent. */
export const countingOf = ({ offers }: Pick<HitBackground, "offers">): Offer[] => offers.filter(({ named }) => !named);

/** The offers of a hit: those that count, then those that are only self-declared and that nothing shows to be another agent's. */
export function shownOffers(background: Pick<HitBackground, "offers">, words: readonly string[]): Offer[] {
  const selfDeclared = background.offers.filter(({ named, isAnothers }) => named && !isAnothers);
  return [countingOf(background), selfDeclared]
    .flatMap((offers) => matchingFirst(offers, words))
    .slice(0, MAX_OFFERS_SHOWN);
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
