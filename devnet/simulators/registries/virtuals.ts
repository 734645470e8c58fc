/** Virtuals, simulated: a list of agents, paged and worded as the upstream does it. */
import { addressOf, nameOf, numbered, page, registry, time, WORDS } from "./registry.ts";

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
