/** The registries that are lists, simulated: Virtuals, the MCP registry, 8004scan and the x402 Bazaar, each paged and worded as the upstream does it. */
import { reply } from "../simulator.ts";
import { addressOf, nameOf, numbered, page, registry, time, WORDS } from "./registry.ts";

/** The canonical registry: its address on every chain. */
const CANONICAL = "0x8004A169FB4a3325136EB29fA0ceB6D2e539a432";
const refused = (status: number, code: string, message: string) =>
  reply({ success: false, error: { code, message } }, status);

export const scan8004 = registry({
  source: "8004scan",
  mirrors: true,
  make: (i) => ({
    id: `00000000-0000-4000-8000-${i.toString(16).padStart(12, "0")}`,
    agent_id: `8453:${CANONICAL.toLowerCase()}:${i + 1}`,
    token_id: String(i + 1),
    chain_id: 8453,
    chain_type: "evm",
    contract_address: CANONICAL.toLowerCase(),
    is_testnet: false,
    owner_address: addressOf(i, 4),
    owner_ens: null,
    name: nameOf(i, 4),
    description: `Scanned ${WORDS[i % 12]?.toLowerCase()} work.`,
    image_url: `https://images.example/scanned/${i}.png`,
    is_verified: false,
    star_count: i % 9,
    supported_protocols: i % 2 === 0 ? ["MCP", "Web"] : ["A2A"],
    x402_supported: i % 3 === 0,
    total_score: (i % 1000) / 10,
    rank: i + 1,
    health_score: null,
    total_feedbacks: i % 7,
    average_score: i % 7 === 0 ? null : 80,
    created_at: time(i),
    updated_at: time(i + 500),
  }),
  routes(api, list) {
    api.get("/agents", async (c) => {
      const limit = numbered(c.req.query("limit"), 20);
      const offset = numbered(c.req.query("offset"), 0);
      if (limit < 1 || limit > 100) return refused(422, "VALIDATION_ERROR", "limit must be from 1 to 100");
      const total = list.count();
      const size = Math.min(limit, Math.max(0, total - offset));
      // Rows are held in the order of their creation.
      const newestFirst = c.req.query("sort_order") !== "asc";
      const items = await list.page(newestFirst ? total - offset - size : offset, size);
      if (newestFirst) items.reverse();
      return page(c, { items, total, limit, offset });
    });
    api.get("/agents/:chain/:token", async (c) => {
      const { chain, token } = c.req.param();
      const item = (await list.page(0, list.count())).find(
        (row) => String(row.chain_id) === chain && row.token_id === token,
      );
      return item ? page(c, item) : refused(404, "NOT_FOUND", "Agent not found");
    });
  },
  failure: (status) => ({
    body: { success: false, error: { code: `HTTP_${status}`, message: "Something went wrong" } },
  }),
});

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

export const virtuals = registry({
  source: "virtuals",
  seeded: 80,
  make: (i) => ({
    id: i + 1,
    name: nameOf(i, 0),
    description: `Does ${WORDS[i % 12]?.toLowerCase()} work for pay.`,
    walletAddress: addressOf(i, 1),
    ownerAddress: addressOf(i, 2),
    profilePic: `https://images.example/${i}.png`,
    tokenAddress: i % 5 === 0 ? addressOf(i, 3) : null,
    symbol: i % 5 === 0 ? `V${i}` : null,
    jobs: Array.from({ length: i % 4 }, (_, n) => ({ name: `job ${n}`, price: n })),
    metrics: { successfulJobCount: i % 100, lastActiveAt: time(i) },
    successfulJobCount: i % 100,
    createdAt: time(i),
  }),
  routes(api, list) {
    api.get("/api/agents", async (c) => {
      const number = numbered(c.req.query("pagination[page]"), 1);
      const pageSize = Math.min(100, numbered(c.req.query("pagination[pageSize]"), 25));
      const total = list.count();
      const pagination = { page: number, pageSize, pageCount: Math.ceil(total / pageSize), total };
      return page(c, { data: await list.page((number - 1) * pageSize, pageSize), meta: { pagination } });
    });
  },
});

export const x402Bazaar = registry({
  source: "x402-bazaar",
  seeded: 20,
  make: (i) => ({
    resource: `https://paid${i % 5_000}.example/path/${i}`,
    type: "http",
    x402Version: 2,
    description: `Sells ${WORDS[i % 12]?.toLowerCase()} data.`,
    serviceName: nameOf(i, 5),
    accepts: [
      {
        scheme: "exact",
        network: "eip155:8453",
        asset: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
        amount: "10000",
        payTo: addressOf(i % 5_000, 7),
        maxTimeoutSeconds: 60,
      },
    ],
    lastUpdated: time(i),
    quality: { l30DaysTotalCalls: i % 50, l30DaysUniquePayers: i % 5, lastCalledAt: time(i) },
  }),
  routes(api, list) {
    api.get("/platform/v2/x402/discovery/resources", async (c) => {
      const limit = Math.min(100, numbered(c.req.query("limit"), 100));
      const offset = numbered(c.req.query("offset"), 0);
      return page(c, {
        x402Version: 2,
        items: await list.page(offset, limit),
        pagination: { limit, offset, total: list.count() },
      });
    });
  },
});
