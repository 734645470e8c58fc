/** Documents that list paid operations: which are offers, at which price, whatever form their terms have. */
import { describe, expect, it } from "vitest";
import { offersOf } from "../../core/offers/offer.ts";
import { pricedOperations } from "../../core/offers/priced-document.ts";
import type { EndpointReading, Send } from "../../core/offers/reader.ts";
import { sourcesOf } from "../../core/offers/readers.ts";
import { x402 } from "../../core/offers/x402.ts";

const URL = "https://api.example/v1/openapi.json";
const USDC = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
const PATH_USD = "0x20c0000000000000000000000000000000000000";
const TERMS = { scheme: "exact", network: "eip155:8453", asset: USDC, payTo: "0x1", amount: "80000" };

const documentOf = (info: unknown, more: object = {}, operation: object = {}) => ({
  ...{ openapi: "3.1.0", info: { title: "A", version: "1" } },
  paths: { "/quote": { post: { summary: "Quote", "x-payment-info": info, ...operation } }, "/free": { get: {} } },
  ...more,
});
const offersIn = (document: unknown) => offersOf(pricedOperations(document, URL) ?? []);
const priceOf = (info: unknown) => offersIn(documentOf(info))[0]?.priceUsd;

describe("the price of an operation", () => {
  it.each([
    ["fixed", { price: { mode: "fixed", currency: "USD", amount: "0.08" }, protocols: ["x402"] }, 0.08],
    ["its least, where it varies", { price: { mode: "dynamic", currency: "USD", min: "0.01", max: "1" } }, 0.01],
    ["of the older form", { pricingMode: "fixed", price: "0.05", protocols: ["x402"] }, 0.05],
    ["the least of the older form", { pricingMode: "range", minPrice: "$0.02", maxPrice: "3" }, 0.02],
    ["a number", { price: { amount: 0.005, currency: "USD" } }, 0.005],
    ["of terms alone", { protocols: [{ x402: TERMS }] }, 0.08],
    ["of a coin in dollars", { method: "tempo", intent: "charge", amount: "2500", currency: PATH_USD }, 0.0025],
    [
      "the least of several",
      {
        offers: [
          { amount: "2500", currency: PATH_USD },
          { amount: "900", currency: PATH_USD.toUpperCase().replace("X", "x") },
        ],
      },
      0.0009,
    ],
    ["not known in another currency", { price: { mode: "fixed", currency: "EUR", amount: "1" } }, null],
    ["not known of an unknown coin", { amount: "1", currency: `0x${"9".repeat(40)}` }, null],
    ["not known of a session", { amount: "1", currency: PATH_USD, intent: "session" }, null],
    ["not known where it is quoted", { pricingMode: "quote" }, null],
    ["not known where it is none", { price: { currency: "USD", amount: "-1" } }, null],
    ["not known where it is a joke", { price: { currency: "USD", amount: "99999999" } }, null],
  ])("is %s", (_, info, usd) => expect(priceOf(info)).toBe(usd));
});

it("an operation has its address, method, terms and input", () => {
  const schema = { type: "object", properties: { q: { type: "string" } } };
  const operation = {
    requestBody: { content: { "application/json": { schema: { $ref: "#/components/schemas/Ask" } } } },
  };
  const info = { price: { currency: "USD", amount: "0.1" }, protocols: [{ x402: TERMS }, { mpp: {} }] };
  const more = { servers: [{ url: "https://pay.example/base/" }], components: { schemas: { Ask: schema } } };
  expect(offersIn(documentOf(info, more, operation))).toEqual([
    {
      ...{ kind: "resource", name: "Quote", description: null, tags: [], method: "POST" },
      ...{ endpoint: "https://pay.example/base/quote", priceUsd: 0.1, price: [TERMS], inputSchema: schema },
    },
  ]);
  const asked = [
    { in: "query", name: "city", required: true, schema: { type: "string" } },
    { in: "path", name: "id" },
  ];
  expect(offersIn(documentOf(info, {}, { parameters: asked }))[0]).toMatchObject({
    endpoint: "https://api.example/quote",
    inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  });
});

it.each([
  ["a server with places to fill in", { servers: [{ url: "https://{region}.example" }] }],
  ["a server of its own host", { servers: [{ url: "/" }] }],
  ["a server that is no address", { servers: [{ url: "ftp://api.example" }] }],
  ["no list of servers", { servers: "x" }],
])("%s leads to the document's host", (_, more) =>
  expect(offersIn(documentOf({}, more))[0]!.endpoint).toBe("https://api.example/quote"),
);

it("what is no such document has none", () => {
  for (const document of [null, [], 7, {}, { openapi: "3" }, { openapi: "3", paths: [] }, { services: {} }])
    expect(pricedOperations(document, URL)).toBeNull();
  for (const paths of [{ "/a": null }, { "/a": { get: 7 } }, { "/a": { get: { "x-payment-info": [] } } }])
    expect(pricedOperations({ openapi: "3", paths }, URL)).toEqual([]);
});

describe("a service", () => {
  const page = { status: 200, text: "<html>" };
  const read = async (places: Record<string, { status: number; text: string }>, url: string) => {
    const asked: string[] = [];
    const send: Send = async ({ url, method = "GET" }, take) => {
      asked.push(`${method} ${url.replace("https://api.example", "")}`);
      return take({ headers: {}, url, status: 404, text: "", ...places[url] });
    };
    const reading: EndpointReading = await x402.read(url, send, {}, null);
    return { reading, asked };
  };
  const OPENAPI = { status: 200, text: JSON.stringify(documentOf({ price: "0.1" })) };

  it("that names its host sells what the host's document lists; one that names a resource has that alone", async () => {
    const root = "https://api.example/";
    const places = { [root]: page, [`${root}openapi.json`]: OPENAPI, [`${root}x`]: page };
    const host = await read(places, root);
    expect(host).toMatchObject({ reading: { offers: [{ name: "Quote" }] }, asked: ["GET /", "GET /openapi.json"] });
    const resource = await read(places, `${root}x`);
    expect(resource).toMatchObject({ reading: { kind: "nothing" }, asked: ["GET /x"] });
  });

  it("that is a document without paid operations says so", async () => {
    const text = JSON.stringify({ openapi: "3", paths: {} });
    const { reading } = await read({ [URL]: { status: 200, text } }, URL);
    expect(reading).toEqual({ kind: "nothing", why: "It lists no operation that is paid for." });
  });

  it("is read as one by its name", () =>
    expect(
      sourcesOf([
        { name: "OpenAPI", endpoint: URL },
        { name: "openapiary", endpoint: `${URL}?` },
      ]),
    ).toMatchObject([{ kind: "x402", url: URL, host: "api.example" }]));
});
