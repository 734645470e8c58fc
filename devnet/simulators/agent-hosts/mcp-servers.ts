/** MCP servers of simulated hosts, over streamable HTTP without sessions: a feed of prices without credentials, and one for members, which lives and answers with 401. */
import { createMcpHandler, Server, type Tool } from "@modelcontextprotocol/server";
import { type Context, Hono } from "hono";
import { reply } from "../simulator.ts";
import type { AgentHost } from "./host.ts";

type HostTool = Tool & { run(input: Record<string, unknown>): object };

/** The handler of the server's one address. @param legacy whether it speaks revisions before 2026-07-28 too */
function mcpServer(name: string, tools: readonly HostTool[], { legacy = true } = {}) {
  const handler = createMcpHandler(
    () => {
      const server = new Server({ name, version: "1.0.0" }, { capabilities: { tools: {} } });
      server.setRequestHandler("tools/list", () => ({ tools: tools.map(({ run: _, ...tool }) => tool) }));
      server.setRequestHandler("tools/call", ({ params }) => {
        const tool = tools.find((each) => each.name === params.name);
        if (!tool) throw new Error(`there is no tool ${params.name}`);
        return { content: [{ type: "text", text: JSON.stringify(tool.run(params.arguments ?? {})) }] };
      });
      return server;
    },
    { legacy: legacy ? "stateless" : "reject", maxSubscriptions: 0 },
  );
  return (c: Context): Promise<Response> => handler.fetch(c.req.raw);
}

export const members: AgentHost = {
  key: "members",
  api() {
    const app = new Hono();
    app.all("/mcp", () => reply({ error: "invalid_token" }, 401, { "www-authenticate": "Bearer" }));
    return app;
  },
  listing: (url) => ({
    services: { mcp: { url: `${url}/mcp`, version: "2025-06-18" } },
    skills: ["grid planning"],
    domains: ["energy"],
  }),
};

const LISTED: Record<string, number> = { SOL: 148, JUP: 0.42, BONK: 0.000021, JTO: 2.1, PYTH: 0.31 };
const DAY_MS = 86_400_000;

/** A price that moves within 5 % around its list price, the same for everyone at one time. */
const priceAt = (symbol: string, at: number) =>
  Number((LISTED[symbol]! * (1 + 0.05 * Math.sin(at / DAY_MS + symbol.length))).toPrecision(6));

const symbol = { type: "string", enum: Object.keys(LISTED), description: "Symbol of the token" };
const unknown = { error: "There is no such token." };

const TOOLS: readonly HostTool[] = [
  {
    name: "get_price",
    title: "Price of a Solana token",
    description: "Current price in US dollars of a token on Solana.",
    inputSchema: { type: "object", properties: { symbol }, required: ["symbol"] },
    run: (input) => {
      const token = String(input.symbol);
      return token in LISTED ? { symbol: token, usd: priceAt(token, Date.now()) } : unknown;
    },
  },
  {
    name: "get_price_history",
    title: "Price history of a Solana token",
    description: "Daily prices in US dollars of a token on Solana, the newest first.",
    inputSchema: {
      type: "object",
      properties: { symbol, days: { type: "integer", minimum: 1, maximum: 90 } },
      required: ["symbol"],
    },
    run: (input) => {
      const token = String(input.symbol);
      const days = Math.min(90, Math.max(1, Number(input.days ?? 7) || 7));
      const now = Date.now();
      if (!(token in LISTED)) return unknown;
      return { symbol: token, usd: Array.from({ length: days }, (_, day) => priceAt(token, now - day * DAY_MS)) };
    },
  },
];

export const solanaPrices: AgentHost = {
  key: "solana-prices",
  api() {
    const app = new Hono();
    app.all("/mcp", mcpServer("Solana prices", TOOLS));
    app.all("/mcp/2026-07-28", mcpServer("Solana prices", TOOLS, { legacy: false }));
    return app;
  },
  listing: (url) => ({
    services: { mcp: { url: `${url}/mcp`, version: "2025-06-18" } },
    skills: ["solana price feed", "market data"],
    domains: ["finance"],
  }),
};
