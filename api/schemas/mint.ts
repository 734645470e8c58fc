/** Schemas of registration: request, immediate answer and later answer. */
import { z } from "zod";
import { frameworkSchema } from "../../core/agents/framework-input.ts";
import { listingShape } from "../../core/agents/listing-input.ts";
import { agentNameSchema } from "../../core/agents/names.ts";
import { narrativeSchema, personalitySchema } from "../../core/agents/profile-input.ts";
import { parseReferralCode } from "../../core/agents/referral-codes.ts";
import { optionalText } from "../../core/text.ts";
import { agentSchema } from "../../core/views/agent.ts";
import { address, block, count, mintOrigin, tokenId, txHash, url } from "../../core/views/fields.ts";

export const mintBodySchema = z
  .strictObject({
    name: agentNameSchema,
    framework: optionalText(frameworkSchema),
    soulbound: z.boolean().optional().meta({ description: "Locked to the wallet for ever" }),
    personality: personalitySchema.optional(),
    narrative: narrativeSchema.optional(),
    ...listingShape,
    referralCode: optionalText(
      z
        .string()
        .transform((text, ctx) => {
          const code = parseReferralCode(text);
          if (code) return code;
          ctx.addIssue("is not a referral code");
          return z.NEVER;
        })
        .meta({ maxLength: 32 }),
    ),
  })
  .meta({ id: "MintRequest", examples: [{ name: "Atlas", framework: "langchain" }] });

const registration = {
  success: z.literal(true),
  tokenId,
  txHash,
  block: block.meta({ description: "Give it to a read as minBlock to see the agent" }),
  mintOrigin,
  explorer: url,
  message: z.string(),
  canonical8004: z.object({ status: z.literal("manual_required"), registry: address, note: z.string() }),
  yourReferralCode: z.string(),
  yourReferralLink: url,
  agent: agentSchema.nullable().meta({ description: "null while it is not indexed yet" }),
  og: z.object({ v1Name: z.string(), bonusPoints: count, trait: z.string() }).nullable(),
  referral: z
    .object({
      code: z.string(),
      referrerTokenId: tokenId.nullable().meta({ description: "null for a V1 wallet that has no agent yet" }),
      referrerPoints: count,
      minterPoints: count,
    })
    .nullable()
    .meta({ description: "Bonus points, awarded on chain a few blocks later" }),
};
const mintId = z.uuid().meta({ description: "Names this registration" });

export const registrationSchema = z.object(registration).meta({ id: "Registration" });

export const pendingMintSchema = z
  .object({ status: z.literal("pending"), mintId, statusUrl: url })
  .meta({ id: "PendingMint" });

export const mintStateSchema = z.union([
  pendingMintSchema,
  z
    .object({
      status: z.literal("minted"),
      mintId,
      ...registration,
      solanaAddress: z.string().optional().meta({ description: "The key, where a Solana key registered" }),
      evmAddress: address.optional().meta({ description: "Receiver of that key's identity" }),
    })
    .meta({ id: "FinishedMint" }),
  z
    .object({ status: z.literal("failed"), mintId, reason: z.string().meta({ description: "What the chain refused" }) })
    .meta({ id: "FailedMint" }),
]);
