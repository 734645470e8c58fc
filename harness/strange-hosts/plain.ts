/** Twenty hosts as the documents of their protocols have them. */
import {
  at,
  base64,
  card,
  errorOf,
  fixed,
  json,
  mcpServer,
  messageOf,
  type RightHost,
  resultOf,
  type Serve,
  streaming,
  termsV1,
  termsV2,
  tools,
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
  {
    ...{ name: "card at its known place", kind: "agent_card", path: "/", offers: ["Sum"] },
    serve: at({ "/.well-known/agent-card.json": fixed(JSON.stringify(card("Sum"))) }),
  },
  {
    ...{ name: "card that is named itself", kind: "agent_card", path: "/agents/7.json", offers: ["Sum", "Prove"] },
    serve: at({ "/agents/7.json": fixed(JSON.stringify(card("Sum", "Prove"))) }),
  },
  {
    ...{ name: "card with validators", kind: "agent_card", path: "/card.json", offers: ["Sum"] },
    serve: fixed(JSON.stringify(card("Sum")), { etag: '"1"', "last-modified": "Fri, 27 Nov 2026 00:00:00 GMT" }),
  },
  {
    ...{ name: "card of version 1.0", kind: "agent_card", path: "/card.json", offers: ["Sum"] },
    serve: fixed(
      JSON.stringify({
        ...card("Sum"),
        url: undefined,
        supportedInterfaces: [
          { url: "grpc.example:443", protocolBinding: "GRPC", protocolVersion: "1.0" },
          { url: "https://a.example/a2a", protocolBinding: "JSONRPC", protocolVersion: "1.0" },
        ],
      }),
    ),
  },
  {
    ...{ name: "card with further interfaces", kind: "agent_card", path: "/card.json", offers: ["Sum"] },
    serve: fixed(
      JSON.stringify({ ...card("Sum"), additionalInterfaces: [{ url: "https://a.example/rest", transport: "REST" }] }),
    ),
  },
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
  {
    ...{ name: "MCP, JSON", kind: "mcp", path: "/mcp", offers: ["quote", "chart"] },
    serve: mcpServer({ list: () => ({ tools: tools("quote", "chart") }) }),
  },
  {
    ...{ name: "MCP, streams of events", kind: "mcp", path: "/mcp", offers: ["quote"] },
    serve: mcpServer({ list: () => ({ tools: tools("quote") }), reply: asEvent }),
  },
  {
    ...{ name: "MCP with a session", kind: "mcp", path: "/mcp", offers: ["quote"] },
    serve: mcpServer({ list: () => ({ tools: tools("quote") }), session: "s-1" }),
  },
  {
    ...{ name: "MCP with a session and streams", kind: "mcp", path: "/mcp", offers: ["quote"] },
    serve: mcpServer({ list: () => ({ tools: tools("quote") }), session: "s-2", reply: asEvent }),
  },
  {
    ...{ name: "MCP in two pages", kind: "mcp", path: "/mcp", offers: ["first", "second"] },
    serve: mcpServer({
      list: (cursor) => (cursor ? { tools: tools("second") } : { tools: tools("first"), nextCursor: "2" }),
    }),
  },
  {
    ...{ name: "MCP 2024-11-05 over one address", kind: "mcp", path: "/mcp", offers: ["quote"] },
    serve: mcpServer({ list: () => ({ tools: tools("quote") }), version: "2024-11-05" }),
  },
  { ...{ name: "MCP of both eras", kind: "mcp", path: "/mcp", offers: ["quote"] }, serve: bothEras },
  {
    ...{ name: "MCP without tools", kind: "mcp", path: "/mcp", offers: [] },
    serve: mcpServer({ list: () => ({ tools: [] }) }),
  },
];

const PAID: RightHost[] = [
  {
    ...{ name: "x402 v1, GET", kind: "x402", path: "/quote", offers: ["Quotes"] },
    serve: paid("GET", termsV1("Quotes")),
  },
  {
    ...{ name: "x402 v2, GET", kind: "x402", path: "/quote", offers: ["Quotes"] },
    serve: paid("GET", termsV2("Quotes"), { inHeader: true }),
  },
  {
    ...{ name: "x402 v2 in header and body", kind: "x402", path: "/quote", offers: ["Quotes"] },
    serve: (_, response) =>
      json(response, termsV1("Old quotes"), 402, { "payment-required": base64(termsV2("Quotes")) }),
  },
  {
    ...{ name: "x402 v1, POST", kind: "x402", path: "/quote", offers: ["Quotes"] },
    serve: paid("POST", termsV1("Quotes")),
  },
  {
    ...{ name: "x402 v2, POST", kind: "x402", path: "/quote", offers: ["Quotes"] },
    serve: paid("POST", termsV2("Quotes"), { inHeader: true, otherwise: 404 }),
  },
  {
    ...{ name: "x402 v1 with a schema", kind: "x402", path: "/quote", offers: ["Quotes"] },
    serve: paid("GET", termsV1("Quotes", { outputSchema: { input: { type: "http", method: "GET" } } })),
  },
  {
    ...{ name: "x402 v2 on Solana", kind: "x402", path: "/quote", offers: ["Quotes"] },
    serve: paid("GET", termsV2("Quotes", { network: "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp", asset: "EPj" }), {
      inHeader: true,
    }),
  },
];

export const PLAIN: readonly RightHost[] = [...CARDS, ...MCP_SERVERS, ...PAID];
