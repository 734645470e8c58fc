/** Agents as the API shows them. */
import { z } from "zod";
import { agentSchema } from "../../core/views/agent.ts";
import { address, count, tokenId } from "../../core/views/fields.ts";
import { rankedSchema, summarySchema } from "../../core/views/summary.ts";

export const agentListSchema = z
  .object({
    total: count.meta({ description: "All agents the filter lets through" }),
    page: z.int().min(1),
    pages: count,
    limit: z.int().min(1),
    offset: count,
    agents: z.array(summarySchema),
    nextCursor: z
      .string()
      .nullable()
      .meta({ description: "Give it back as `cursor` for the next page; null at the end" }),
  })
  .meta({ id: "AgentList" });

export const agentArraySchema = z.array(agentSchema);

export const leaderboardSchema = z
  .object({
    sort: z.enum(["cred", "points"]),
    limit: z.int().min(1),
    agents: z.array(rankedSchema),
  })
  .meta({ id: "Leaderboard" });

export const nameCheckSchema = z
  .object({
    name: z.string().meta({ examples: ["atlas.agent"] }),
    available: z.boolean(),
    tokenId: tokenId.nullable(),
    contract: address,
  })
  .meta({ id: "NameCheck" });
