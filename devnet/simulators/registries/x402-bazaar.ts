/** The x402 Bazaar, simulated: a list of agents, paged and worded as the upstream does it. */
import { addressOf, nameOf, numbered, page, registry, time, WORDS } from "./registry.ts";

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
