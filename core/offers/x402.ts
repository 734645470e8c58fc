/** Reads x402 resources: a request without payment is answered with the price. Nothing is ever paid. */
import { urlOf } from "../urls.ts";
import { parseDocument } from "./document.ts";
import { type Method, offersOf } from "./offer.ts";
import { pricedOperations } from "./priced-document.ts";
import { type EndpointAnswer, type EndpointReading, type OfferReader, withoutContent } from "./reader.ts";
import { x402Price } from "./x402-prices.ts";

type Json = Record<string, unknown>;

export const x402: OfferReader = {
  async read(url, send, conditional, method) {
    const request = { url, headers: { accept: "application/json" } };
    const got = await send({ url, headers: { ...request.headers, ...conditional } }, (answer) =>
      readAnswer(url, answer),
    );
    const known = got.reading ?? withoutContent(got.status);
    if (known) return known;
    // One that names its host sells what that lists.
    const root = rootOf(url);
    if (root !== null) {
      const listed = await send({ ...request, url: `${root}/openapi.json` }, readDocument);
      if (listed?.kind === "offers") return { ...listed, etag: null, lastModified: null };
    }
    // What is called by POST shows its terms to a POST, as to the crawlers of facilitators; without a payment it sells nothing.
    const posted = method === "POST" || (method === null && UNKNOWN_TO_GET.has(got.status));
    const { status, reading } = posted
      ? await send({ ...request, ...EMPTY_POST }, (answer) => readAnswer(url, answer))
      : got;
    if (reading) return reading;
    if (withoutContent(status)?.kind === "needs_credentials") return { kind: "needs_credentials" };
    return withoutTerms(status, method);
  },
};

/** The origin of an address that is no more than that. */
const rootOf = (url: string): string | null => {
  const named = urlOf(url);
  return named && named.pathname === "/" && named.search === "" ? named.origin : null;
};

/** What an answer has: terms, or a document that lists paid operations; no reading for neither. */
function readAnswer(url: string, answer: EndpointAnswer): { status: number; reading: EndpointReading | null } {
  const { status, headers, text } = answer;
  return { status, reading: status === 402 ? readTerms(url, headers["payment-required"], text) : readDocument(answer) };
}

function readDocument({ status, headers, text, url }: EndpointAnswer): EndpointReading | null {
  const given = status === 200 && LISTING.test(text) ? pricedOperations(parseDocument(text), url) : null;
  if (given === null) return null;
  const offers = offersOf(given);
  if (offers.length === 0) return { kind: "nothing", why: "It lists no operation that is paid for." };
  return { kind: "offers", offers, etag: headers.etag ?? null, lastModified: headers["last-modified"] ?? null };
}

/** What documents of paid operations have; nothing else is parsed. */
const LISTING = /"(?:openapi|services)"\s*:/;

/** What an endpoint is that shows no terms. */
function withoutTerms(status: number, method: Method | null): EndpointReading {
  if (status >= 200 && status < 300) return { kind: "nothing", why: "It asks for no payment." };
  // The method or the input is not the expected one: it lives, and its terms are not known.
  if (status === 400 || status === 405 || status === 422)
    return { kind: "nothing", why: `It names no price to a request without input (${status}).` };
  // A router that knows no such call is a server all the same.
  if (method !== "GET" && method !== "POST" && UNKNOWN_TO_GET.has(status))
    return { kind: "nothing", why: `It names no price to a request that it knows not (${status}).` };
  return { kind: "unreadable", why: `The server answers with status ${status}.` };
}

/** What servers answer to a GET of what is called by POST. */
const UNKNOWN_TO_GET = new Set([404, 405, 501]);
const EMPTY_POST = {
  method: "POST",
  headers: { accept: "application/json", "content-type": "application/json" },
  body: "{}",
} as const;

/**
 * Version 2 is in the header, in base64, version 1 in the body. Where the header has no terms that can be read so, it is read
 * as JSON, then the body; the reading says what its owner should mend.
 */
function readTerms(url: string, header: string | undefined, body: string): EndpointReading {
  const places: [text: string, why: string | undefined][] = [
    [body, header && `${HEADER} has no terms that can be read.`],
  ];
  if (header) places.unshift([decoded(header), undefined], [utf8(header), `${HEADER} is not in base64.`]);
  for (const [text, why] of places) {
    const terms = termsOf(parseDocument(text));
    const price = terms && x402Price(terms.accepts);
    if (!price) continue;
    const offers = offersOf([resourceOffer(url, terms, price)]);
    const says = [why, terms.isOdd ? "Its terms are not in a list named accepts." : undefined].filter(Boolean);
    return { kind: "offers", offers, etag: null, lastModified: null, ...(says.length > 0 && { why: says.join(" ") }) };
  }
  return { kind: "unreadable", why: "The demand for payment has no terms that can be read." };
}
const HEADER = "Its PAYMENT-REQUIRED header";

/** A demand with its terms in `accepts`: also a bare list, one alone, and by the word that facilitators have. */
function termsOf(value: unknown): (Json & { accepts: unknown[]; isOdd: boolean }) | null {
  const given = Array.isArray(value) ? { accepts: value } : ((value ?? {}) as Json);
  const terms = [given.accepts, given.paymentRequirements].find((one) => [one ?? []].flat().length > 0);
  if (terms === undefined) return null;
  return {
    ...given,
    accepts: [terms].flat(),
    isOdd: Array.isArray(value) || terms !== given.accepts || !Array.isArray(terms),
  };
}

/** The offer of a resource by its terms, as a 402 or a registry has them. */
export function resourceOffer(url: string, terms: Json, price: ReturnType<typeof x402Price>) {
  const resource = (typeof terms.resource === "object" && terms.resource !== null ? terms.resource : {}) as Json;
  const first = ((terms.accepts as unknown[])[0] ?? {}) as Json;
  const place = urlOf(url);
  return {
    kind: "resource" as const,
    name: resource.serviceName ?? terms.serviceName ?? `${place?.host ?? ""}${place?.pathname ?? ""}`.slice(0, 100),
    description: resource.description ?? terms.description ?? first.description,
    tags: resource.tags ?? terms.tags,
    endpoint: url,
    method: methodOf(terms, first),
    price,
    inputSchema: schemaOf(terms, first),
  };
}

/** The method as the extension of the Bazaar, or version 1's `outputSchema`, states it. */
function methodOf(terms: Json, first: Json): unknown {
  const stated =
    inside(terms, "extensions", "bazaar", "info", "input")?.method ?? inside(first, "outputSchema", "input")?.method;
  return typeof stated === "string" ? stated.toUpperCase() : null;
}

/** The schema of the input, with the example that the terms have: from the extension of the Bazaar, else from version 1's `outputSchema`. */
function schemaOf(terms: Json, first: Json): unknown {
  const bazaar = inside(terms, "extensions", "bazaar");
  const input = inside(bazaar, "schema", "properties", "input", "properties");
  const info = inside(bazaar, "info", "input");
  const schema = inside(input, "queryParams") ?? inside(input, "body");
  const example = info?.queryParams ?? info?.body;
  if (schema && example !== undefined) return { ...schema, examples: [example] };
  return schema ?? info ?? inside(first, "outputSchema", "input") ?? null;
}

function inside(value: unknown, ...path: string[]): Json | null {
  let found = value;
  for (const key of path) found = (found as Json | null | undefined)?.[key];
  return found !== null && typeof found === "object" ? (found as Json) : null;
}

const decoded = (header: string): string => Buffer.from(header, "base64").toString("utf8");
const utf8 = (header: string): string => Buffer.from(header, "latin1").toString("utf8");
