/** The form of an offer in which two that mean the same are equal: the service keeps it, and a pin is compared in it. */

/** One way to pay; `amount` in the smallest unit of the asset. */
export type Terms = { scheme: string; network: string; asset: string; amount: string; payTo: string };

/** An offer as it was read. */
type GivenOffer = {
  kind: string;
  name: string;
  description: string | null;
  tags: readonly string[];
  endpoint: string | null;
  method: string | null;
  /** US dollars of a call. */
  priceUsd: number | null;
  price: readonly Terms[] | null;
  inputSchema: object | null;
};

/** `text` and `schema` are hashed where the form is kept: they may be long. */
export type OfferForm = {
  kind: string;
  name: string;
  endpoint: string | null;
  method: string | null;
  usd: number | null;
  accepts: Terms[];
  text: { description: string; tags: string[] };
  schema: object | null;
};

export function offerForm({ kind, name, endpoint, method, ...offer }: GivenOffer): OfferForm {
  return {
    ...{ kind, name: oneLine(name), endpoint, method, usd: offer.priceUsd },
    accepts: setOf((offer.price ?? []).map(termsForm)),
    text: { description: oneLine(offer.description ?? ""), tags: setOf(offer.tags.map(oneLine)) },
    schema: offer.inputSchema && (schemaForm(offer.inputSchema, "schema") as object),
  };
}

/** Addresses of EVM chains are the same in any case; those of others are not. */
export const termsForm = ({ scheme, network, asset, amount, payTo }: Terms): Terms => ({
  ...{ scheme, network, asset: addressForm(asset), amount: amount.replace(/^0+(?=\d)/, ""), payTo: addressForm(payTo) },
});
const addressForm = (text: string): string => (/^0x[0-9a-f]{40}$/i.test(text) ? text.toLowerCase() : text);

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

/** Each member once, in one order. */
function setOf<T>(members: readonly T[]): T[] {
  const byText = new Map(members.map((member) => [JSON.stringify(member), member]));
  return [...byText].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, member]) => member);
}

/** Keywords of JSON Schema whose lists have no order, whose values are named schemas, and whose values are data. */
const SETS = new Set(["required", "enum", "type", "anyOf", "oneOf", "allOf"]);
const NAMED = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);
const DATA = new Set(["default", "const", "examples", "example"]);
const WORDS = new Set(["description", "title", "$comment"]);

/** @param as what the members of an object are: keywords, names of schemas, or data */
function schemaForm(value: unknown, as: "schema" | "named" | "data"): unknown {
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (Array.isArray(value)) return value.map((each) => schemaForm(each, as));
  if (value === null || typeof value !== "object") return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    members.flatMap(([key, each]): [string, unknown][] => {
      if (as !== "schema") return [[key, schemaForm(each, as === "named" ? "schema" : "data")]];
      if (WORDS.has(key) && typeof each === "string") return [[key, oneLine(each)]];
      if (!SETS.has(key) || !Array.isArray(each))
        return [[key, schemaForm(each, NAMED.has(key) ? "named" : DATA.has(key) ? "data" : "schema")]];
      const set = setOf(each.map((member) => schemaForm(member, key === "enum" ? "data" : "schema")));
      if (key === "required" && set.length === 0) return [];
      return [[key, key === "type" && set.length === 1 ? set[0] : set]];
    }),
  );
}
