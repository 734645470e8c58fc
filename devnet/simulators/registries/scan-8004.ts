/** 8004scan, simulated: a list of agents, paged and worded as the upstream does it. */
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
      const found = (await list.page(0, list.count())).find(
        (row) => String(row.chain_id) === chain && row.token_id === token,
      );
      return found ? page(c, found) : refused(404, "NOT_FOUND", "Agent not found");
    });
  },
  failure: (status) => ({
    body: { success: false, error: { code: `HTTP_${status}`, message: "Something went wrong" } },
  }),
});
