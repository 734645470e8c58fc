/** The service token in numbers. */
import { tokenStats } from "../../db/agents/token-stats.ts";
import { CACHE, endpoint } from "../endpoint.ts";
import { tokenStatsSchema } from "../schemas/manifest.ts";

export const tokenHolders = endpoint({
  path: "/api/v2/token/stats",
  operationId: "getTokenStats",
  tag: "Service",
  summary: "How many wallets hold the service token, counted every half hour",
  responses: { 200: { description: "As last counted; zeros before the first count", schema: tokenStatsSchema } },
  errors: ["upstream_unavailable", "timeout"],
  cache: CACHE.minute,
  async handler({ deps }, json) {
    const counted = await tokenStats(deps.db);
    return json({ holders: counted?.holders ?? 0, updatedAt: counted?.updatedAt.getTime() ?? 0 });
  },
});
