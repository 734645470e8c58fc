/** Twenty hosts as the documents of their protocols have them. */
import { base64 } from "../payment-signing.ts";
import {
  at,
  card,
  cardHost,
  errorOf,
  fixed,
  json,
  mcpHost,
  mcpServer,
  messageOf,
  paidHost,
  quoteTool,
  type RightHost,
  resultOf,
  type Serve,
  streaming,
  termsV1,
  termsV2,
  tools,
  twoPages,
} from "./parts.ts";

const asEvent = streaming((text) => `event: message\ndata: ${text}\n\n`);

/** Answers a method with terms, and others as a router does that knows no such call. */
const paid =
  (method: string, terms: object, { inHeader = false, otherwise = 405 } = {}): Serve =>
  (request, response) => {
    if (request.method !== method) return void response.writeHead(otherwise).end();
    json(response, inHeader ? {} : terms, 402, inHeader ? { "payment-required": base64(terms) } : {});
  };

const CARDS: RightHost[] = [
  cardHost("card at its known place", at({ "/.well-known/agent-card.json": fixed(card("Sum")) }), {
    path: "/",
  }),
  cardHost("card that is named itself", at({ "/agents/7.json": fixed(card("Sum", "Prove")) }), {
    path: "/agents/7.json",
    offers: ["Sum", "Prove"],
  }),
  cardHost(
    "card with validators",
    fixed(card("Sum"), { etag: '"1"', "last-modified": "Fri, 27 Nov 2026 00:00:00 GMT" }),
  ),
  cardHost(
    "card of version 1.0",
    fixed({
      ...card("Sum"),
      url: undefined,
      supportedInterfaces: [
        { url: "grpc.example:443", protocolBinding: "GRPC", protocolVersion: "1.0" },
        { url: "https://a.example/a2a", protocolBinding: "JSONRPC", protocolVersion: "1.0" },
      ],
    }),
  ),
  cardHost(
    "card with further interfaces",
    fixed({ ...card("Sum"), additionalInterfaces: [{ url: "https://a.example/rest", transport: "REST" }] }),
  ),
];

/** Both eras at one address, as the protocol's own library serves them. */
const bothEras: Serve = (request, response) =>
  messageOf(request, ({ id, method }) => {
    if (id === undefined) return void response.writeHead(202).end();
    if (method === "initialize")
      return json(response, resultOf(id, { protocolVersion: "2025-11-25", capabilities: {} }));
    if (method === "tools/list") return json(response, resultOf(id, { tools: tools("quote") }));
    json(response, errorOf(id, -32_601), 404);
  });

const MCP_SERVERS: RightHost[] = [
  mcpHost("MCP, JSON", mcpServer({ list: () => ({ tools: tools("quote", "chart") }) }), { offers: ["quote", "chart"] }),
  mcpHost("MCP, streams of events", mcpServer({ list: quoteTool, reply: asEvent })),
  mcpHost("MCP with a session", mcpServer({ list: quoteTool, session: "s-1" })),
  mcpHost("MCP with a session and streams", mcpServer({ list: quoteTool, session: "s-2", reply: asEvent })),
  mcpHost("MCP in two pages", mcpServer({ list: twoPages }), { offers: ["first", "second"] }),
  mcpHost("MCP 2024-11-05 over one address", mcpServer({ list: quoteTool, version: "2024-11-05" })),
  mcpHost("MCP of both eras", bothEras),
  mcpHost("MCP without tools", mcpServer({ list: () => ({ tools: [] }) }), { offers: [] }),
];

const PAID: RightHost[] = [
  paidHost("x402 v1, GET", paid("GET", termsV1("Quotes"))),
  paidHost("x402 v2, GET", paid("GET", termsV2("Quotes"), { inHeader: true })),
  paidHost("x402 v2 in header and body", (_, response) =>
    json(response, termsV1("Old quotes"), 402, { "payment-required": base64(termsV2("Quotes")) }),
  ),
  paidHost("x402 v1, POST", paid("POST", termsV1("Quotes"))),
  paidHost("x402 v2, POST", paid("POST", termsV2("Quotes"), { inHeader: true, otherwise: 404 })),
  paidHost(
    "x402 v1 with a schema",
    paid("GET", termsV1("Quotes", { outputSchema: { input: { type: "http", method: "GET" } } })),
  ),
  paidHost(
    "x402 v2 on Solana",
    paid("GET", termsV2("Quotes", { network: "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp", asset: "EPj" }), {
      inHeader: true,
    }),
  ),
];

export const PLAIN: readonly RightHost[] = [...CARDS, ...MCP_SERVERS, ...PAID];
