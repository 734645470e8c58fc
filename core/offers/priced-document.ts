/**
 * Reads the paid operations of documents that list them: OpenAPI with `x-payment-info`, and the catalog of the Machine
 * Payments Protocol. What they say is advice: the terms are those of the 402 itself.
 * @see https://paymentauth.org/draft-payment-discovery-00.html
 * @see https://github.com/Merit-Systems/x402scan/blob/main/docs/DISCOVERY.md
 */
import { urlOf } from "../urls.ts";
import { type Accept, listOf, MAX_OFFERS, METHODS, type RawOffer } from "./offer.ts";
import { MAX_USD, x402Price } from "./x402-prices.ts";

type Json = Record<string, unknown>;

/** Max paths of a document that are read, and max services of a catalog. */
const MAX_PATHS = 2_000;

/** @returns null for a document of another kind; empty for one without paid operations */
export function pricedOperations(document: unknown, documentUrl: string): RawOffer[] | null {
  const given = objectOf(document);
  const base = urlOf(documentUrl);
  if (given === null || base === null) return null;
  if (typeof given.openapi === "string" && objectOf(given.paths)) return operationsOf(given, base);
  return Array.isArray(given.services) ? catalogOf(listOf(given.services), base) : null;
}

function operationsOf(document: Json, base: URL): RawOffer[] {
  const place = placeOf(listOf(document.servers)[0]?.url, base);
  const offers: RawOffer[] = [];
  for (const [path, raw] of Object.entries(document.paths as Json).slice(0, MAX_PATHS)) {
    const item = objectOf(raw);
    for (const method of METHODS) {
      const operation = objectOf(item?.[method.toLowerCase()]);
      const info = objectOf(operation?.["x-payment-info"]);
      if (!operation || !info) continue;
      offers.push({
        kind: "resource",
        name: operation.summary ?? operation.operationId ?? `${method} ${path}`,
        description: operation.description ?? info.description,
        tags: operation.tags,
        endpoint: `${place}${path}`,
        method,
        price: priceOf(info),
        inputSchema: inputOf(document, operation),
      });
      if (offers.length === MAX_OFFERS) return offers;
    }
  }
  return offers;
}

function catalogOf(services: readonly Json[], base: URL): RawOffer[] {
  return services.flatMap((service) =>
    listOf(service.endpoints).flatMap(({ method, path, description, payment }): RawOffer[] => {
      const info = objectOf(payment);
      if (!info || typeof path !== "string") return [];
      const endpoint = `${placeOf(service.serviceUrl ?? service.url, base)}${path}`;
      const name = [service.name, description ?? `${method} ${path}`].filter((text) => typeof text === "string");
      return [
        {
          kind: "resource",
          name: name.join(": "),
          description: info.description ?? service.description,
          tags: service.tags ?? service.categories,
          endpoint,
          method,
          price: priceOf(info),
        },
      ];
    }),
  );
}

/** Where the paths of a document begin; its own host where it names no other that can be called. */
function placeOf(given: unknown, base: URL): string {
  const named = typeof given === "string" && !given.includes("{") ? urlOf(given, base) : null;
  const { origin, pathname } =
    named && /^https?:$/.test(named.protocol) ? named : { origin: base.origin, pathname: "/" };
  return origin + pathname.replace(/(?<!\/)\/+$/, "");
}

/** The price of a call: the terms of x402 if they are given, and dollars as stated, else by the terms. */
function priceOf(info: Json): { accepts: Accept[]; usd: number | null } {
  const terms = listOf(info.protocols).flatMap(({ x402 }) => objectOf(x402) ?? []);
  const price = x402Price(terms) ?? { accepts: [], usd: null };
  return { accepts: price.accepts, usd: statedDollars(info) ?? price.usd ?? coinDollars(info) };
}

/** As x402scan reads it: an amount or a least amount in dollars. */
function statedDollars({ price, minPrice }: Json): number | null {
  const given = objectOf(price);
  if (!given) return dollarsOf(price) ?? dollarsOf(minPrice);
  if (given.currency !== undefined && given.currency !== "USD") return null;
  return dollarsOf(given.amount) ?? dollarsOf(given.min);
}

function dollarsOf(raw: unknown): number | null {
  const text = typeof raw === "number" ? String(raw) : raw;
  if (typeof text !== "string" || !/^\$?\d{1,12}(?:\.\d{1,18})?$/.test(text)) return null;
  const usd = Number(text.replace("$", ""));
  return usd <= MAX_USD ? usd : null;
}

/** Coins in US dollars that the Machine Payments Protocol is paid in, and their decimals. */
const COINS: Record<string, number> = {
  // pathUSD and USDC.e on Tempo
  "0x20c0000000000000000000000000000000000000": 6,
  "0x20c000000000000000000000b9537d11c60e8b50": 6,
};

/** The least price of a charge among the offers of the Machine Payments Protocol: amounts are in the smallest unit of their coin. */
function coinDollars(info: Json): number | null {
  const offers = Array.isArray(info.offers) ? listOf(info.offers) : [info];
  const prices = offers.flatMap(({ amount, currency, intent }) => {
    const decimals = typeof currency === "string" ? COINS[currency.toLowerCase()] : undefined;
    const isCharge = decimals !== undefined && (intent ?? "charge") === "charge";
    if (!isCharge || typeof amount !== "string" || !/^\d{1,30}$/.test(amount)) return [];
    const usd = Number(amount) / 10 ** decimals;
    return usd <= MAX_USD ? [usd] : [];
  });
  return prices.length > 0 ? Math.min(...prices) : null;
}

/** The schema of the input: of a JSON body, else of the parameters in the query. */
function inputOf(document: Json, operation: Json): Json | null {
  const content = objectOf(objectOf(operation.requestBody)?.content);
  const body = referred(document, objectOf(content?.["application/json"])?.schema);
  if (body) return body;
  const params = listOf(operation.parameters).filter((each) => each.in === "query" && typeof each.name === "string");
  if (params.length === 0) return null;
  return {
    type: "object",
    properties: Object.fromEntries(
      params.map(({ name, schema, description }) => [
        name,
        { ...referred(document, schema), ...(typeof description === "string" && { description }) },
      ]),
    ),
    required: params.filter(({ required }) => required === true).map(({ name }) => name),
  };
}

/** A schema, or the one of the document's own that it refers to. */
function referred(document: Json, raw: unknown): Json | null {
  const schema = objectOf(raw);
  const name =
    typeof schema?.$ref === "string" ? /^#\/components\/schemas\/([\w.-]{1,200})$/.exec(schema.$ref)?.[1] : undefined;
  if (name === undefined) return schema;
  const schemas = objectOf(objectOf(document.components)?.schemas);
  return schemas && Object.hasOwn(schemas, name) ? objectOf(schemas[name]) : null;
}

const objectOf = (value: unknown): Json | null =>
  value !== null && typeof value === "object" && !Array.isArray(value) ? (value as Json) : null;
