/** Answers of search and batch. */
import { z } from "zod";
import { count } from "../../core/views/fields.ts";
import { summarySchema } from "../../core/views/summary.ts";

const asked = z.array(z.union([z.string(), z.number()]));

export const batchSchema = z
  .object({
    found: z.array(summarySchema).meta({ description: "In the order asked, each agent once" }),
    missing: asked.meta({ description: "Nobody has this token id or wallet" }),
    invalid: asked.meta({ description: "Neither token id nor address" }),
  })
  .meta({ id: "AgentBatch" });

export const searchSchema = z
  .object({
    q: z.string().meta({ description: "As understood; empty when nothing was searched for" }),
    total: count.meta({ description: "All agents that match" }),
    limit: z.int().min(1),
    agents: z.array(summarySchema),
  })
  .meta({ id: "AgentSearch" });
