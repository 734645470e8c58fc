/** The handshakes of one agent. */
import { z } from "zod";
import { handshakesOf } from "../../db/agents/handshakes.ts";
import { endpoint } from "../endpoint.ts";
import { agentRef, limit, offset, page } from "../parameters.ts";
import { handshakesSchema } from "../schemas/handshakes.ts";
import { factsOf } from "../services/agent-facts.ts";

export const handshakes = endpoint({
  path: "/api/v2/agent/{ref}/handshakes",
  operationId: "listHandshakes",
  tag: "Agents",
  summary: "The handshakes that an agent has completed with others, the newest first",
  data: true,
  params: z.object({ ref: agentRef }),
  query: z.object({ limit: limit({ default: 20, max: 100 }), page, offset }),
  responses: { 200: { description: "A page of handshakes", schema: handshakesSchema } },
  errors: ["not_found"],
  async handler({ deps, params, query }, json) {
    const { tokenId } = await factsOf(deps.facts, params.ref);
    const { limit } = query;
    const start = query.offset ?? ((query.page ?? 1) - 1) * limit;
    const found = await handshakesOf(deps.db, { tokenId, limit, offset: start });
    return json({
      tokenId,
      total: found.total,
      page: Math.floor(start / limit) + 1,
      pages: Math.ceil(found.total / limit),
      limit,
      offset: start,
      handshakes: found.page.map(({ fromTokenId, toTokenId, name, completedAt, block, txHash }) => ({
        direction: fromTokenId === tokenId ? ("sent" as const) : ("received" as const),
        tokenId: fromTokenId === tokenId ? toTokenId : fromTokenId,
        name,
        completedAt: new Date(completedAt * 1000).toISOString(),
        block,
        txHash,
      })),
    });
  },
});
