/** What a search for agents takes and answers: the types that the search, the API and its readers share. */
import type { PlatformKey } from "../directory/platforms.ts";
import type { Protocol } from "../directory/protocols.ts";
import type { PaidWork } from "../income/view.ts";
import type { ReviewSummary } from "../reviews/view.ts";

export const MAX_QUERY_LENGTH = 300;
export const MAX_HITS = 50;

export type DiscoverQuery = {
  /** As typed; characters beyond `MAX_QUERY_LENGTH` are not read. */
  q: string;
  /** Protocols in any case, all of which an agent must have (core/directory/protocols.ts). Unknown ones match no agent. */
  speaks?: readonly string[];
  /** Any of these. */
  platform?: readonly PlatformKey[];
  chain?: number;
  /** 0 to 100, inclusive. */
  minCred?: number;
  /** Its registry has proved its wallet, or has not. */
  verified?: boolean;
  accepts?: "x402";
  /** True: also agents that say that they are not active. */
  inactive?: boolean;
  /** US dollars per call, inclusive, of the offers that match (db/discovery/prices.ts); agents without a known price do not pass. */
  maxPrice?: number;
  /** False: agents are found by words only, and the question stays in the service. */
  meaning?: boolean;
  /** Hits of the page, 1 to `MAX_HITS`. */
  limit: number;
  /** `nextCursor` of the page before, of the same query. */
  cursor?: string;
};

/** Where a word was found. `protocols`: names of the protocols and services of an agent. */
export const FIELDS = ["name", "offers", "protocols", "description"] as const;
export type Field = (typeof FIELDS)[number];

export const FACTOR_KEYS = ["cred", "proofs", "liveness", "feedback", "age", "text"] as const;
export type FactorKey = (typeof FACTOR_KEYS)[number];

/** One factor of trust: `value` 0 to 1, `weight` as in `FACTORS`, and a sentence. */
export type Factor = { key: FactorKey; value: number; weight: number; says: string };

/** `[from, to)` in UTF-16 units of a text. */
export type Range = [from: number, to: number];

/** What an agent was found by: its words, or its text, which is near to the question in meaning. */
export const FOUND_BY = ["words", "meaning"] as const;
export type FoundBy = (typeof FOUND_BY)[number];

/** Whether agents were searched for by meaning. `unavailable`: the provider of embeddings gave no answer in time. */
export const MEANING_STATES = ["off", "used", "unavailable"] as const;

export type DiscoverHit = PaidWork & {
  directoryId: number;
  /** What hits are ordered by: relevance × trust; where meanings are used, the share of the best place by words and by meaning. */
  rank: number;
  /** 0 to 1; 1 for every agent where the query has no words. */
  relevance: number;
  /** 0 to 1. */
  trust: number;
  /** Nothing for a query without words. */
  foundBy: readonly FoundBy[];
  /** Words of the query by the field they were found in, fields without any left out. */
  matched: { field: Field; words: string[] }[];
  factors: Factor[];
  /** What its reviews are worth; null in registries without reviews, and before they were weighed. */
  reviews: ReviewSummary | null;
  /** Untrusted plain text, no HTML; ranges ascend and do not overlap. */
  highlights: { field: Field; text: string; ranges: Range[] }[];
  /** Number of agents behind this one: near-identical, of the same text, or of its name. */
  copies: number;
};

export type FacetKey = "platform" | "speaks" | "chain" | "tier" | "verified" | "accepts";
/** Values with the number of agents that have them, most frequent first. */
export type Facets = Record<FacetKey, { value: string; count: number }[]>;

export type QueryReading = {
  words: string[];
  /** Conditions that words of the query name; these words are not searched. Agents that meet the conditions come first. */
  filters: { speaks?: Protocol[]; maxPrice?: number };
  /** Words that no agent uses, with those searched for in their place. */
  corrected: { from: string; to: string }[];
  meaning: (typeof MEANING_STATES)[number];
};

export type DiscoverPage = {
  hits: DiscoverHit[];
  /** Number of agents found. An estimate where `totalIsExact` is false; then the facets are estimates too. */
  total: number;
  totalIsExact: boolean;
  nextCursor: string | null;
  facets: Facets;
  understood: QueryReading;
};
