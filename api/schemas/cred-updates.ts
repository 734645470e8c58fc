/** The feed of score changes as the API shows it. */
import { z } from "zod";
import { count, moment, score, tier, tokenId } from "../../core/views/fields.ts";

export const credUpdatesSchema = z
  .object({
    updates: z.array(
      z
        .object({
          id: z.int().min(1),
          tokenId,
          score: score.nullable().meta({ description: "null: the agent does not exist any more" }),
          tier: tier.nullable(),
          cause: z.string().meta({ description: "What moved it", examples: ["agent.trait_added"] }),
          at: moment,
        })
        .meta({ id: "CredUpdate" }),
    ),
    after: count,
    limit: z.int().min(1),
    nextAfter: count.meta({ description: "Give it back as `after`" }),
    more: z.boolean().meta({ description: "There are further changes already" }),
  })
  .meta({ id: "CredUpdates" });
