/** Hosts that are odd but right: unusual ways of HTTP, of text and of the protocols, each read by a mainstream client. */
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { base64 } from "../payment-signing.ts";
import { ODD_SERVERS } from "./odd-servers.ts";
import {
  at,
  card,
  cardHost,
  fixed,
  json,
  mcpHost,
  mcpServer,
  paidHost,
  quoteTool,
  type RightHost,
  type Serve,
  skills,
  termsV1,
  termsV2,
  to,
} from "./parts.ts";

const CARD = JSON.stringify(card("Sum"));
const KNOWN = "/.well-known/agent-card.json";

const encoded = (encoding: string, encode: (text: string) => Buffer, text = CARD): Serve =>
  fixed(encode(text), { "content-encoding": encoding });

const REDIRECTED: RightHost[] = [
  cardHost(
    "card behind 301, 302 and 303",
    at({ "/a.json": to(301, "/b"), "/b": to(302, "c"), "/c": to(303, "/d/"), "/d/": fixed(CARD) }),
    { path: "/a.json" },
  ),
  cardHost("card behind 307 and 308", at({ [KNOWN]: to(307, "/x"), "/x": to(308, "x/?y"), "/x/": fixed(CARD) }), {
    path: "/",
  }),
  mcpHost(
    "MCP behind 307 and 308 to a slash",
    at({
      "/mcp": to(307, "/v1/mcp"),
      "/v1/mcp": to(308, "/v1/mcp/"),
      "/v1/mcp/": mcpServer({ list: quoteTool, session: "s" }),
    }),
  ),
  paidHost(
    "x402 behind a slash, by POST alone",
    at({
      "/quote": to(308, "/quote/"),
      "/quote/": (request, response) =>
        request.method === "POST" ? json(response, termsV1("Quotes"), 402) : void response.writeHead(405).end(),
    }),
  ),
];

const latin1 = Buffer.from(JSON.stringify({ ...card(), skills: skills("Übersetzen") }), "latin1");
const utf16be = Buffer.from(`\ufeff${CARD}`, "utf16le").swap16();

const WRITTEN: RightHost[] = [
  cardHost("card, gzip", encoded("gzip", gzipSync)),
  cardHost("card, br", encoded("br", brotliCompressSync)),
  cardHost("card, zstd", encoded("zstd", zstdCompressSync)),
  cardHost("card, deflate", encoded("deflate", deflateSync)),
  paidHost(
    "x402 terms, raw deflate under upper case",
    fixed(deflateRawSync(JSON.stringify(termsV1("Quotes"))), { "content-encoding": "Deflate" }, 402),
  ),
  cardHost(
    "card, gzip twice",
    encoded("gzip, gzip", (text) => gzipSync(gzipSync(text))),
  ),
  cardHost("card under a coding that is none", fixed(CARD, { "content-encoding": "utf-8" })),
  cardHost("card with a byte order mark", fixed(`\ufeff${CARD}`)),
  cardHost(
    "card in Latin-1, as its header says",
    fixed(latin1, { "content-type": 'application/json; charset="ISO-8859-1"' }),
    { offers: ["Übersetzen"] },
  ),
  cardHost(
    "card in UTF-8 under the header of Latin-1",
    fixed(card("Übersetzen"), { "content-type": "application/json; charset=iso-8859-1" }),
    { offers: ["Übersetzen"] },
  ),
  cardHost(
    "card in UTF-16LE",
    fixed(Buffer.from(CARD, "utf16le"), { "content-type": "application/json; charset=utf-16le" }),
  ),
  cardHost("card in UTF-16BE with its mark", fixed(utf16be)),
  cardHost("card in small chunks", (_, response) => {
    response.writeHead(200);
    for (const letter of CARD) response.write(letter);
    response.end();
  }),
  {
    ...{ name: "card without a length, of HTTP/1.0", kind: "agent_card", path: "/card.json", offers: ["Sum"] },
    raw: (socket) => void socket.end(`HTTP/1.0 200 OK\r\n\r\n${CARD}`),
  },
  {
    ...{ name: "card behind 100 and 103", kind: "agent_card", path: "/card.json", offers: ["Sum"] },
    raw: (socket) =>
      void socket.end(
        "HTTP/1.1 103 Early Hints\r\nlink: </a.css>; rel=preload\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n" +
          `HTTP/1.1 200 OK\r\ncontent-length: ${CARD.length}\r\nconnection: close\r\n\r\n${CARD}`,
      ),
  },
];

const PLACED: RightHost[] = [
  cardHost("card at agent.json alone", at({ "/.well-known/agent.json": fixed(CARD) }), { path: "/" }),
  cardHost("card below a path", at({ [`/agents/7${KNOWN}`]: fixed(CARD), [KNOWN]: fixed(card("Other")) }), {
    path: "/agents/7/",
  }),
  cardHost(
    "card whose other places ask for a credential",
    (request, response) =>
      request.url === KNOWN ? fixed(CARD)(request, response) : void response.writeHead(401).end(),
    { path: "/a" },
  ),
  cardHost(
    "card with broken skills and a good one",
    fixed({ ...card(), skills: [null, 7, { name: "" }, ...skills("Sum"), { id: "by-id", tags: "x" }] }),
    { offers: ["Sum", "by-id"] },
  ),
];

const page = "<html><body>Pay first</body></html>";

const PAID: RightHost[] = [
  paidHost(
    "402 with terms in the header, HTML in the body",
    fixed(page, { "content-type": "text/html", "payment-required": base64(termsV2("Quotes")) }, 402),
    { path: "/q" },
  ),
  paidHost(
    "402 with terms in the body, another's in the header",
    fixed(termsV2("Quotes"), { "payment-required": "Payment id=1" }, 402),
    { path: "/q" },
  ),
  paidHost(
    "402 with terms in base64url without padding",
    fixed("", { "payment-required": Buffer.from(JSON.stringify(termsV2("Quotes ü"))).toString("base64url") }, 402),
    { path: "/q", offers: ["Quotes ü"] },
  ),
  paidHost(
    "HEAD refused, content type missing",
    (request, response) => {
      if (request.method === "HEAD") return void response.destroy();
      response.writeHead(402).end(JSON.stringify(termsV1("Quotes")));
    },
    { path: "/q" },
  ),
];

const openapi = (operations: Record<string, object>) => ({
  ...{ openapi: "3.1.0", info: { title: "Quotes", version: "1" } },
  paths: { "/free": { get: { summary: "Free" } }, ...operations },
});
const priced = (info: object, more: object = {}) => ({ "x-payment-info": info, responses: { 402: {} }, ...more });
const usd = (amount: string) => ({ price: { mode: "fixed", currency: "USD", amount }, protocols: ["x402"] });
const tempo = { ...{ amount: "2500", currency: "0x20c0000000000000000000000000000000000000" }, method: "tempo" };

const LISTING: RightHost[] = [
  paidHost(
    "OpenAPI that is named itself",
    at({
      "/v1/openapi.json": fixed(
        openapi({
          "/quote": { get: priced(usd("0.01"), { summary: "Quote" }) },
          "/chart": { post: priced(usd("0.2")) },
        }),
      ),
    }),
    { path: "/v1/openapi.json", offers: ["Quote", "POST /chart"] },
  ),
  paidHost(
    "a host named as x402 whose OpenAPI has the paid operations",
    at({
      "/": fixed("<html>Welcome", { "content-type": "text/html" }),
      "/openapi.json": fixed(
        openapi({ "/quote": { post: priced({ ...tempo, intent: "charge" }, { operationId: "quote" }) } }),
      ),
    }),
    { path: "/", offers: ["quote"] },
  ),
  paidHost(
    "the MPP catalog's form",
    fixed({
      version: 1,
      services: [
        {
          ...{
            id: "q",
            name: "Quotes",
            serviceUrl: "https://q.example",
            description: "Sells.",
            categories: ["data"],
          },
          endpoints: [
            { method: "GET", path: "/free" },
            { method: "GET", path: "/quote", description: "A quote", payment: { ...tempo, decimals: 6 } },
          ],
        },
      ],
    }),
    { path: "/catalog", offers: ["Quotes: A quote"] },
  ),
];

export const ODD: readonly RightHost[] = [...REDIRECTED, ...WRITTEN, ...PLACED, ...PAID, ...LISTING, ...ODD_SERVERS];
