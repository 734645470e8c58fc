/** The answer of a write whose transaction is not mined in time, or which reads do not show in time. */
import { z } from "zod";
import { tokenId, txHash } from "../../core/views/fields.ts";

export const pendingWriteSchema = z
  .object({
    status: z.literal("pending"),
    tokenId,
    txHashes: z.array(txHash).meta({ description: "Those of its transactions that are in a block already" }),
    message: z.string(),
  })
  .meta({ id: "PendingWrite" });

/** The 202 of every write about an agent. */
export const PENDING_WRITE = {
  description:
    "Accepted; the chain, or what reads show, follows. The same request again, after `Retry-After` seconds, tells the rest",
  schema: pendingWriteSchema,
} as const;
