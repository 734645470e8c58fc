/** The MCP registry, simulated: a list of agents, paged and worded as the upstream does it. */
import { nameOf, numbered, page, registry, time, WORDS } from "./registry.ts";

const OFFICIAL = "io.modelcontextprotocol.registry/official";

export const mcpRegistry = registry({
  source: "mcp-registry",
  seeded: 40,
  make: (i) => ({
    server: {
      name: `io.github.user${i}/server`,
      description: `Serves ${WORDS[i % 12]?.toLowerCase()} tools.`,
      title: nameOf(i, 2),
      version: "1.0.0",
      remotes: i % 2 === 0 ? [{ type: "streamable-http", url: `https://mcp${i}.example/mcp` }] : [],
      packages: [{ registryType: "npm", identifier: `server-${i}`, version: "1.0.0", transport: { type: "stdio" } }],
    },
    _meta: { [OFFICIAL]: { status: "active", publishedAt: time(i), updatedAt: time(i), isLatest: true } },
  }),
  routes(api, list) {
    api.get("/v0.1/servers", async (c) => {
      const limit = Math.min(100, numbered(c.req.query("limit"), 30));
      const since = Date.parse(c.req.query("updated_since") ?? "") || 0;
      const deleted = c.req.query("include_deleted") === "true";
      const offset = numbered(c.req.query("cursor")?.replace(/^after:/, ""), 0);
      const rows = await list.page(offset, limit);
      const servers = rows.filter((row) => {
        const { status, updatedAt } = officialOf(row);
        return (Date.parse(updatedAt ?? "") || Date.now()) >= since && (deleted || status !== "deleted");
      });
      const more = offset + rows.length < list.count();
      return page(c, {
        servers,
        metadata: { count: servers.length, ...(more && { nextCursor: `after:${offset + rows.length}` }) },
      });
    });
  },
  failure: () => ({ body: { error: "something went wrong" } }),
});

const officialOf = (row: Record<string, unknown>) =>
  (row._meta as Record<string, { status?: string; updatedAt?: string }> | undefined)?.[OFFICIAL] ?? {};
