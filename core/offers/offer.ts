/** An offer of an agent: one skill, tool or paid resource, cleaned and bounded for storage. */
import { foreignLink, foreignText } from "../directory/foreign-text.ts";

/** One way to pay for a call by x402; `amount` is in the smallest unit of the asset. */
export type Accept = { scheme: string; network: string; asset: string; amount: string; payTo: string };

export type OfferKind = "skill" | "tool" | "resource";

export type Offer = {
  kind: OfferKind;
  name: string;
  description: string | null;
  tags: string[];
  /** Where it is called. */
  endpoint: string | null;
  /** How a paid resource is called, as its terms state it. */
  method: Method | null;
  /** US dollars of a call; null where none is known. */
  priceUsd: number | null;
  price: Accept[] | null;
  inputSchema: object | null;
};

/** Methods of a call. */
export const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
export type Method = (typeof METHODS)[number];

/**
 * Bound: offers of one source; the first ones are kept. An agent has 8 endpoints, a host 1,000 URLs a day, a URL 50
 * rows (workers/offers/offers.ts).
 */
export const MAX_OFFERS = 64;
export const MAX_NAME = 100;
const MAX_DESCRIPTION = 600;
const MAX_TAGS = 16;
const MAX_TAG = 40;
/** Max characters of a schema as JSON, and its max depth. A larger one is left out. */
const MAX_SCHEMA = 4_000;
/** Max characters of a schema as JSON before its texts are cut. */
const MAX_GIVEN_SCHEMA = 8 * MAX_SCHEMA;
const MAX_SCHEMA_DEPTH = 16;
const MAX_SCHEMA_TEXT = 500;

export type RawOffer = {
  kind: OfferKind;
  name: unknown;
  description?: unknown;
  tags?: unknown;
  endpoint?: unknown;
  method?: unknown;
  price?: { accepts: Accept[]; usd: number | null } | null;
  inputSchema?: unknown;
};

/** The stored form of an offer; null for one without a name. */
export function offerOf(raw: RawOffer): Offer | null {
  const name = foreignText(raw.name, MAX_NAME);
  if (name === null) return null;
  return {
    kind: raw.kind,
    name,
    description: foreignText(raw.description, MAX_DESCRIPTION, { lines: true }),
    tags: tagsOf(raw.tags),
    endpoint: foreignLink(raw.endpoint),
    method: METHODS.find((method) => method === raw.method) ?? null,
    priceUsd: raw.price?.usd ?? null,
    price: raw.price && raw.price.accepts.length > 0 ? raw.price.accepts : null,
    inputSchema: schemaOf(raw.inputSchema),
  };
}

/** Offers of one source: those that can be read, at most `MAX_OFFERS`. */
export const offersOf = (raws: readonly RawOffer[]): Offer[] =>
  raws.slice(0, MAX_OFFERS).flatMap((raw) => offerOf(raw) ?? []);

/** The elements of a list of any size; none for another value. */
export const listOf = (raw: unknown): Record<string, unknown>[] =>
  Array.isArray(raw)
    ? raw.slice(0, MAX_OFFERS).filter((each) => each !== null && typeof each === "object" && !Array.isArray(each))
    : [];

function tagsOf(raw: unknown): string[] {
  const tags = Array.isArray(raw) ? raw.slice(0, MAX_TAGS) : [];
  return [...new Set(tags.flatMap((tag) => foreignText(tag, MAX_TAG) ?? []))];
}

/** A schema with cleaned texts; null when it is no object, or too large or too deep to keep. */
function schemaOf(raw: unknown): object | null {
  if (raw === null || typeof raw !== "object" || Array.isArray(raw)) return null;
  if (JSON.stringify(raw).length > MAX_GIVEN_SCHEMA) return null;
  const schema = cleaned(raw, 0, { left: MAX_SCHEMA });
  return schema !== undefined && JSON.stringify(schema).length <= MAX_SCHEMA ? (schema as object) : null;
}

/** @param room characters that are left: what is too large is not cleaned to its end @returns undefined when a part is too deep, or there is no room */
function cleaned(value: unknown, depth: number, room: { left: number }): unknown {
  if (typeof value === "string") {
    const text = foreignText(value, MAX_SCHEMA_TEXT, { lines: true }) ?? "";
    room.left -= text.length;
    return text;
  }
  if (value === null || typeof value !== "object") return value;
  if (depth === MAX_SCHEMA_DEPTH) return undefined;
  const entries: [string, unknown][] = [];
  for (const [key, each] of Object.entries(value)) {
    const name = Array.isArray(value) ? key : (foreignText(key, MAX_SCHEMA_TEXT) ?? "");
    const inner = cleaned(each, depth + 1, room);
    // A comma at least.
    room.left -= 1 + (Array.isArray(value) ? 0 : name.length);
    if (inner === undefined || room.left < 0) return undefined;
    entries.push([name, inner]);
  }
  return Array.isArray(value) ? entries.map(([, each]) => each) : Object.fromEntries(entries);
}
