/** Agentverse, simulated: a list of agents, paged and worded as the upstream does it. */
import { z } from "zod";
import { reply } from "../simulator.ts";
import { nameOf, registry, time } from "./registry.ts";

export const agentverse = registry({
  source: "agentverse",
  seeded: 60,
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
