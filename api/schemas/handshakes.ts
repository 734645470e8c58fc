/** Answers about handshakes. */
import { z } from "zod";
import { block, count, moment, tokenId, txHash } from "../../core/views/fields.ts";

export const handshakesSchema = z
  .object({
    tokenId,
    total: count.meta({ description: "All handshakes of the agent" }),
    page: z.int().min(1),
    pages: count,
    limit: z.int().min(1),
    offset: count,
    handshakes: z.array(
      z.object({
        direction: z.enum(["sent", "received"]).meta({ description: "Whether the agent began it" }),
        tokenId: tokenId.meta({ description: "The other agent" }),
        name: z.string().nullable().meta({ description: "The other agent's name; null when its token does not exist" }),
        completedAt: moment,
        block,
        txHash,
      }),
    ),
  })
  .meta({ id: "Handshakes" });
