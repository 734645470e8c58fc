/** An agent's links to other registries: its token, and the canonical ERC-8004 registration. */
import { z } from "zod";
import { linkTokenSchema } from "../../core/token-input.ts";
import { linkedTokenSchema } from "./agent.ts";
import { address, block, tokenId, txHash } from "./fields.ts";

export const linkTokenBodySchema = linkTokenSchema.meta({
  id: "LinkTokenRequest",
  examples: [
    { contractAddress: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", chain: "base", symbol: "USDC", name: "USD Coin" },
  ],
});

export const linkTokenAnswerSchema = z
  .object({
    success: z.literal(true),
    tokenId,
    linkedToken: linkedTokenSchema,
    txHashes: z.array(txHash).meta({ description: "One for each of the four traits that store the token" }),
    block: block.optional().meta({ description: "Give it to a read as minBlock to see the token linked" }),
  })
  .meta({ id: "TokenLinked" });

export const crossRegistrationSchema = z
  .object({
    success: z.literal(true),
    tokenId,
    manualRequired: z.literal(true),
    canonicalRegistration: z.object({
      registry: address,
      method: z.literal("register(string)"),
      ownerMustBeCaller: z.literal(true),
      dataURI: z.string().meta({ description: "The registration file, as data:application/json;base64" }),
      chainId: z.int(),
      to: address,
      data: z
        .string()
        .regex(/^0x[0-9a-f]+$/)
        .meta({ description: "Calldata, ready to be sent by the owner" }),
      note: z.string(),
    }),
  })
  .meta({ id: "CrossRegistration" });
