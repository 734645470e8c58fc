/** Schema of an agent's profile as its controllers change it. */
import { z } from "zod";
import { block, count, moment, score, tokenId, txHash, usdc } from "./fields.ts";

const place = z.enum(["onchain", "offchain"]);
const written = z.object({
  value: z.unknown(),
  writtenAt: moment.nullable().meta({ description: "null: on chain, at a time that is not known" }),
});

export const profileSchema = z
  .object({
    tokenId,
    fields: z
      .array(
        z.object({
          field: z.string().meta({ examples: ["narrative.mission"] }),
          value: z.unknown().meta({ description: "As it is shown; null where nothing was written" }),
          from: place.nullable().meta({ description: "Where that value is stored: of two the newer one is shown" }),
          onchain: written.nullable(),
          offchain: written.nullable(),
        }),
      )
      .meta({
        description: "All fields of narrative and personality, and those that were written of accounts and listing",
      }),
    traits: z.array(z.object({ name: z.string(), category: z.string(), addedAt: moment, from: place })),
    writing: z
      .array(
        z.object({
          part: z.string().meta({
            description:
              "A field of the narrative, `personality` as a whole, `trait:<name>`, `linked-token…`, `verified`",
            examples: ["narrative.mission"],
          }),
          state: z
            .enum(["queued", "sent", "mined", "refused"])
            .meta({ description: "mined: in a block that is not indexed yet; refused: by the chain, nothing changed" }),
          txHash: txHash.nullable(),
          acceptedAt: moment,
        }),
      )
      .meta({ description: "Newest write on chain of each part in seven days, without those that the index has" }),
    cost: z
      .object({
        price: usdc.meta({ description: "Of one change, on chain or off, in USDC" }),
        currency: z.literal("USDC"),
        gas: z.literal("service").meta({ description: "The service sends the transactions and pays for them" }),
        funded: z.boolean().meta({ description: "Whether the service can pay for transactions now" }),
        partsLeft: count.meta({ description: "Parts that the service still writes on chain for this agent today" }),
        partsMax: count,
        traitPrice: z.string().nullable().meta({
          description: "What the contract takes for a trait, in ETH, paid by the service; null: not known now",
        }),
        traitsPayable: z.boolean().meta({ description: "false: the contract takes more than the service pays" }),
      })
      .meta({ description: "What writing on chain costs" }),
    cred: z
      .object({ score, raw: z.record(z.string(), score) })
      .meta({ description: "The score, and the raw value of each signal: what a change would add follows from it" }),
    indexedBlock: block.nullable(),
  })
  .meta({ id: "Profile" });
