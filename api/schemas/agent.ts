/** Agents as the API shows them. */
import { array, object, union, z } from "zod";
import { agentSchema, rankedSchema, summarySchema } from "../../core/views/agent.ts";
import { address, block, count, moment, tokenId, txHash } from "../../core/views/fields.ts";

export const agentListSchema = object({
  total: count.meta({ description: "All agents the filter lets through" }),
  page: z.int().min(1),
  pages: count,
  limit: z.int().min(1),
  offset: count,
  agents: array(summarySchema),
  nextCursor: z
    .string()
    .nullable()
    .meta({ description: "Give it back as `cursor` for the next page; null at the end" }),
}).meta({ id: "AgentList" });

export const agentArraySchema = array(agentSchema);

export const leaderboardSchema = object({
  sort: z.enum(["cred", "points"]),
  limit: z.int().min(1),
  agents: array(rankedSchema),
}).meta({ id: "Leaderboard" });

export const nameCheckSchema = object({
  name: z.string().meta({ examples: ["atlas.agent"] }),
  available: z.boolean(),
  tokenId: tokenId.nullable(),
  contract: address,
}).meta({ id: "NameCheck" });

const asked = array(union([z.string(), z.number()]));

export const batchSchema = object({
  found: array(summarySchema).meta({ description: "In the order of the request, each agent once" }),
  missing: asked.meta({ description: "Nobody has this token id or wallet" }),
  invalid: asked.meta({ description: "Neither token id nor address" }),
}).meta({ id: "AgentBatch" });

export const searchSchema = object({
  q: z.string().meta({ description: "As understood; empty when nothing was searched for" }),
  total: count.meta({ description: "All agents that match" }),
  limit: z.int().min(1),
  agents: array(summarySchema),
}).meta({ id: "AgentSearch" });

export const handshakesSchema = object({
  tokenId,
  total: count.meta({ description: "All handshakes of the agent" }),
  page: z.int().min(1),
  pages: count,
  limit: z.int().min(1),
  offset: count,
  handshakes: array(
    object({
      direction: z.enum(["sent", "received"]).meta({ description: "Whether the agent began it" }),
      tokenId: tokenId.meta({ description: "The other agent" }),
      name: z.string().nullable().meta({ description: "The other agent's name; null when its token does not exist" }),
      completedAt: moment,
      block,
      txHash,
    }),
  ),
}).meta({ id: "Handshakes" });
