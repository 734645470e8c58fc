/** Virtuals, Agentverse, the MCP registry and the x402 Bazaar: lists of agents, each paged and worded as the upstream does it. */
import { Hono } from "hono";
import { z } from "zod";
import { type MakeSimulator, reply, type Simulator } from "./simulator.ts";

/** Rows in the upstream's own shape, and behind them so many made up ones. */
const held = z.object({ rows: z.array(z.record(z.string(), z.unknown())), generated: z.int().min(0).max(1_000_000) });
type Held = z.output<typeof held>;
/** What is put: rows, or with `--rows N` of the command line how many to make up. */
const put = z.union([
  z.array(z.record(z.string(), z.unknown())).transform((rows): Held => ({ rows, generated: 0 })),
  z
    .object({ rows: z.array(z.record(z.string(), z.unknown())).default([]), generate: z.int().min(0).max(1_000_000) })
    .transform(({ rows, generate }): Held => ({ rows, generated: generate })),
]);

type List = {
  count(): number;
  /** Rows from `offset` on, at most `limit`. */
  page(offset: number, limit: number): Record<string, unknown>[];
};

type Shape = { source: string; make(index: number): Record<string, unknown>; routes(api: Hono, list: List): void };

const simulator =
  ({ source, make, routes }: Shape): MakeSimulator =>
  ({ world }): Simulator => {
    const store = world.collection<Held>(`registry.${source}`);
    const now = () => store.get("agents") ?? { rows: [], generated: 0 };
    const list: List = {
      count: () => now().rows.length + now().generated,
      page(offset, limit) {
        const { rows, generated } = now();
        const last = Math.min(offset + limit, rows.length + generated);
        return Array.from(
          { length: Math.max(0, last - offset) },
          (_, i) => rows[offset + i] ?? make(offset + i - rows.length),
        );
      },
    };
    const api = new Hono();
    routes(api, list);
    const control = new Hono();
    control.put("/agents", async (c) => {
      store.set("agents", put.parse(await c.req.json()));
      return reply({ source, rows: list.count() });
    });
    control.get("/agents", () => reply(list.page(0, 1_000)));
    control.delete("/agents", () => reply({ deleted: store.delete("agents") }));
    return {
      source,
      api,
      control,
      controlPath: `registries/${source}`,
      failure: (status) => ({ body: { error: { status, message: "Something went wrong" } } }),
    };
  };

const WORDS = [
  "Quantum",
  "Trade",
  "Oracle",
  "Nova",
  "Signal",
  "Atlas",
  "Echo",
  "Forge",
  "Lumen",
  "Vector",
  "Bot",
  "Agent",
];
const nameOf = (i: number) => `${WORDS[i % 12]} ${WORDS[(i * 7 + 3) % 12]} ${i}`;
const addressOf = (i: number, salt: number) =>
  `0x${(i * 2_654_435_761 + salt).toString(16).padStart(12, "0").repeat(4).slice(0, 40)}`;
const time = (i: number) => new Date(Date.UTC(2026, 0, 1) + (i % 300_000) * 60_000).toISOString();
const numbered = (text: string | undefined, fallback: number) => (text && /^\d+$/.test(text) ? Number(text) : fallback);

export const virtuals = simulator({
  source: "virtuals",
  make: (i) => ({
    id: i + 1,
    name: nameOf(i),
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
    api.get("/api/agents", (c) => {
      const page = numbered(c.req.query("pagination[page]"), 1);
      const pageSize = Math.min(100, numbered(c.req.query("pagination[pageSize]"), 25));
      const total = list.count();
      const pagination = { page, pageSize, pageCount: Math.ceil(total / pageSize), total };
      return reply({ data: list.page((page - 1) * pageSize, pageSize), meta: { pagination } });
    });
  },
});

export const agentverse = simulator({
  source: "agentverse",
  make: (i) => ({
    address: `agent1q${i.toString(2).replaceAll("0", "q").replaceAll("1", "p").padStart(58, "z")}`,
    name: nameOf(i),
    readme: "",
    protocols: [{ name: "chat", version: "1", digest: `d${i % 7}` }],
    total_interactions: i % 1000,
    recent_interactions: i % 3,
    status: "active",
    last_updated: time(i + 1000),
    created_at: time(i),
  }),
  routes(api, list) {
    api.post("/v1/search/agents", async (c) => {
      const asked = z
        .looseObject({ offset: z.int().min(0), limit: z.int().min(1).max(100), direction: z.string().optional() })
        .safeParse(await c.req.json());
      if (!asked.success || asked.data.offset > 9_999)
        return reply({ detail: [{ msg: "offset must be at most 9999" }] }, 422);
      const { offset, limit, direction } = asked.data;
      const all = list.count();
      const total = Math.min(10_000, all);
      const size = Math.min(limit, Math.max(0, total - offset));
      const from = direction === "desc" ? Math.max(0, all - offset - size) : offset;
      const agents = list.page(from, size);
      if (direction === "desc") agents.reverse();
      return reply({ offset, limit, num_hits: agents.length, total, search_id: "1", agents });
    });
  },
});

const OFFICIAL = "io.modelcontextprotocol.registry/official";

export const mcpRegistry = simulator({
  source: "mcp-registry",
  make: (i) => ({
    server: {
      name: `io.github.user${i}/server`,
      description: `Serves ${WORDS[i % 12]?.toLowerCase()} tools.`,
      title: nameOf(i),
      version: "1.0.0",
      remotes: i % 2 === 0 ? [{ type: "streamable-http", url: `https://mcp${i}.example/mcp` }] : [],
      packages: [{ registryType: "npm", identifier: `server-${i}`, version: "1.0.0", transport: { type: "stdio" } }],
    },
    _meta: { [OFFICIAL]: { status: "active", publishedAt: time(i), updatedAt: time(i), isLatest: true } },
  }),
  routes(api, list) {
    api.get("/v0.1/servers", (c) => {
      const limit = Math.min(100, numbered(c.req.query("limit"), 30));
      const since = Date.parse(c.req.query("updated_since") ?? "") || 0;
      const offset = numbered(c.req.query("cursor")?.replace(/^after:/, ""), 0);
      const rows = list.page(offset, limit);
      const updated = (row: Record<string, unknown>) =>
        Date.parse(
          String((row._meta as Record<string, { updatedAt?: string }> | undefined)?.[OFFICIAL]?.updatedAt ?? ""),
        ) || Date.now();
      const servers = rows.filter((row) => updated(row) >= since);
      const more = offset + rows.length < list.count();
      return reply({
        servers,
        metadata: { count: servers.length, ...(more && { nextCursor: `after:${offset + rows.length}` }) },
      });
    });
  },
});

export const x402Bazaar = simulator({
  source: "x402-bazaar",
  make: (i) => ({
    resource: `https://paid${i % 5_000}.example/path/${i}`,
    type: "http",
    x402Version: 2,
    description: `Sells ${WORDS[i % 12]?.toLowerCase()} data.`,
    serviceName: nameOf(i),
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
    api.get("/platform/v2/x402/discovery/resources", (c) => {
      const limit = Math.min(100, numbered(c.req.query("limit"), 100));
      const offset = numbered(c.req.query("offset"), 0);
      return reply({
        x402Version: 2,
        items: list.page(offset, limit),
        pagination: { limit, offset, total: list.count() },
      });
    });
  },
});
