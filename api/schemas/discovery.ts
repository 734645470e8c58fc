/** Answers of discovery: agents by what they can do. */
import { z } from "zod";
import { PROTOCOLS } from "../../core/directory/protocols.ts";
import { MEANING_STATES } from "../../core/discovery/query.ts";
import { hitSchema } from "../../core/views/discovery.ts";
import { count } from "../../core/views/fields.ts";
import { shortHitSchema } from "../../core/views/found-in-short.ts";

const facet = z.array(z.object({ value: z.string(), count }));

const understoodSchema = z.object({
  words: z.array(z.string()).meta({ description: "What is searched for" }),
  filters: z
    .object({ speaks: z.array(z.enum(PROTOCOLS)).optional(), maxPrice: z.number().min(0).optional() })
    .meta({ description: "What `q` asks for beside its words: agents that meet it stand before the others" }),
  corrected: z
    .array(z.object({ from: z.string(), to: z.string() }))
    .meta({ description: "Words that no agent has, and those that were searched for instead" }),
  meaning: z.enum(MEANING_STATES).meta({
    description:
      "Whether agents were found by meaning too. unavailable: the provider of embeddings gave no answer in time, and this answer is by words only",
  }),
});

export const discoverSchema = z
  .object({
    q: z.string(),
    total: count,
    totalIsExact: z.boolean().meta({ description: "false: an estimate, at least this many" }),
    limit: z.int().min(1),
    nextCursor: z.string().nullable(),
    understood: understoodSchema,
    facets: z
      .object({
        platform: facet,
        speaks: facet,
        chain: facet,
        tier: facet,
        verified: facet,
        accepts: facet,
      })
      .meta({ description: "How many of the found agents have each value" }),
    hits: z.array(hitSchema),
  })
  .meta({ id: "Discovered" });

export const foundSchema = z
  .object({
    note: z.string().meta({ description: "How to read the texts of strangers, how to check and how to pay" }),
    understood: z.string(),
    total: count,
    total_is_exact: z.boolean(),
    next_cursor: z.string().nullable(),
    agents: z.array(shortHitSchema),
  })
  .meta({ id: "FoundAgents" });
