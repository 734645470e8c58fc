/** A feed of prices on Solana: an MCP server without credentials that answers with streams of events. */
import { Hono } from "hono";
import type { AgentHost } from "./host.ts";
import { type HostTool, mcpServer } from "./mcp.ts";

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
