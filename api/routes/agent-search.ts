/** Search: agents by their known data, the highest score first. */
import { z } from "zod";
import { TIERS, type TierKey } from "../../core/cred/tiers.ts";
import { summaryView } from "../../core/views/summary.ts";
import { endpoint } from "../endpoint.ts";
import { agentFilters, agentSearch, flag, limit, optionalChoice, owner } from "../parameters.ts";
import { searchSchema } from "../schemas/agent-search.ts";
import { siteOf } from "../services/agent-facts.ts";
import { pageOfAgents } from "../services/agent-pages.ts";

const TIER_KEYS = TIERS.map(({ key }) => key) as [TierKey, ...TierKey[]];

export const searchAgents = endpoint({
  path: "/api/v2/search",
  operationId: "searchAgents",
  tag: "Agents",
  summary: "Agents by name, address, owner or token id, the best cred first",
  description:
    "Who copies a name has no cred yet, so the original comes first. Names of one character, repeated or not, are left out.",
  data: true,
  query: z.object({
    q: agentSearch,
    owner,
    ...agentFilters,
    tier: optionalChoice(TIER_KEYS, "Only agents of this tier"),
    verified: flag("Only verified agents, or only unverified ones"),
    limit: limit({ default: 20, max: 100 }),
  }),
  responses: { 200: { description: "Best cred first, ties by token id", schema: searchSchema } },
  async handler({ deps, query: { q, tier: key, limit, minCred, ...rest }, now }, json) {
    const tier = TIERS.find((t) => t.key === key);
    const { page, facts } = await pageOfAgents(deps, {
      ...rest,
      search: q,
      minScore: Math.max(minCred ?? 0, tier?.from ?? 0),
      maxScore: tier?.to ?? 100,
      sort: "credScore",
      order: "desc",
      limit,
      position: { offset: 0 },
    });
    const site = siteOf(deps.config);
    const at = new Date(now);
    return json({ q: q ?? "", total: page.total, limit, agents: facts.map((f) => summaryView(f, site, at)) });
  },
});
