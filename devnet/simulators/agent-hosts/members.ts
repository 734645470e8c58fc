/** An MCP server for members: it lives, and answers with 401 without a credential. */
import { Hono } from "hono";
import { reply } from "../simulator.ts";
import type { AgentHost } from "./host.ts";

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
