/** The .agent namespace: is a name free? */
import { z } from "zod";
import { checksum } from "../../core/addresses.ts";
import { dotAgentKey, withDotAgent } from "../../core/agents/names.ts";
import { nameHolder } from "../../db/lists/agent-list-sql.ts";
import { endpoint } from "../endpoint.ts";
import { nameCheckSchema } from "../schemas/agent.ts";

export const nameCheck = endpoint({
  path: "/api/v2/name/{name}",
  operationId: "checkName",
  tag: "Agents",
  summary: "Whether a .agent name is free, and who holds it",
  data: true,
  params: z.object({
    name: z.string().meta({
      documented: { type: "string", pattern: "^[0-9A-Za-z_-]{2,32}(\\.[aA][gG][eE][nN][tT])?$" },
      description: "2 to 32 of a-z, 0-9, - and _, in any case, with or without .agent",
      examples: ["atlas"],
    }),
  }),
  responses: { 200: { description: "The answer of the index", schema: nameCheckSchema } },
  async handler({ deps, params }, json) {
    const key = dotAgentKey(params.name);
    const tokenId = await nameHolder(deps.db, { key });
    return json({
      name: withDotAgent(key),
      available: tokenId === null,
      tokenId,
      contract: checksum(deps.config.contracts.identity.address),
    });
  },
});
