/** An agent's links to other registries: its token, and the canonical ERC-8004 registration. */
import { z } from "zod";
import { linkTokenSchema } from "../../core/agents/token-input.ts";
import { linkedTokenSchema } from "../../core/views/agent.ts";
import { address, block, moment, tokenId, txHash, url } from "../../core/views/fields.ts";

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
      method: z
        .enum(["register(string)", "setAgentURI(uint256,string)"])
        .meta({ description: "The second one with `agentId`: it publishes the present file under that registration" }),
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

export const crossRegistrationsSchema = z
  .object({
    tokenId,
    registry: address,
    chainId: z.int(),
    registrations: z
      .array(
        z.object({
          agentId: z.string().regex(/^\d+$/).meta({ description: "Number in the registry" }),
          owner: address,
          file: z.enum(["current", "outdated", "other"]).meta({
            description:
              "current: it says of this agent what its profile says now; outdated: an earlier file of this agent; other: a file of another agent, or one that is not written on chain",
          }),
          url: url.meta({ description: "Its page in the directory" }),
          registeredAt: moment,
          registeredBlock: block,
          txHash,
          updatedBlock: block,
        }),
      )
      .meta({ description: "Registrations of the token's owner and of the agent's wallet, the newest 20" }),
    indexedBlock: block.nullable(),
  })
  .meta({ id: "CrossRegistrations" });
