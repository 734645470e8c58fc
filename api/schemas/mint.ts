/** Schemas of registration: request, immediate answer and later answer. */
import { array, object, strictObject, union, z } from "zod";
import { parseAddress } from "../../core/addresses.ts";
import type { Address } from "../../core/agents/facts.ts";
import { frameworkSchema } from "../../core/agents/framework-input.ts";
import { listingShape } from "../../core/agents/listing-input.ts";
import { agentNameSchema } from "../../core/agents/names.ts";
import { OG_BENEFITS } from "../../core/agents/og-wallets.ts";
import { narrativeSchema, personalitySchema } from "../../core/agents/profile-input.ts";
import { parseReferralCode } from "../../core/agents/referral-codes.ts";
import type { SolanaPurpose } from "../../core/callers/signed-texts.ts";
import { BONUSES } from "../../core/mints/bonuses.ts";
import { isKey, signatureBytes } from "../../core/solana/keys.ts";
import { optionalText } from "../../core/text.ts";
import { agentSchema, summarySchema } from "../../core/views/agent.ts";
import { address, block, count, mintOrigin, moment, tokenId, txHash, url } from "../../core/views/fields.ts";
import { type DocumentedMeta, optionalChoice, textAs } from "../parameters.ts";

export const mintBodySchema = strictObject({
  name: agentNameSchema,
  framework: optionalText(frameworkSchema),
  soulbound: z.boolean().optional().meta({ description: "Locked to the wallet for ever" }),
  personality: personalitySchema.optional(),
  narrative: narrativeSchema.optional(),
  ...listingShape,
  referralCode: optionalText(textAs(parseReferralCode, "is not a referral code").meta({ maxLength: 32 })),
}).meta({ id: "MintRequest", examples: [{ name: "Atlas", framework: "langchain" }] });

const registration = {
  success: z.literal(true),
  tokenId,
  txHash,
  block: block.meta({ description: "Give it to a read as minBlock to see the agent" }),
  mintOrigin,
  explorer: url,
  message: z.string(),
  canonical8004: object({ status: z.literal("manual_required"), registry: address, note: z.string() }),
  yourReferralCode: z.string(),
  yourReferralLink: url,
  agent: agentSchema.nullable().meta({ description: "null while it is not indexed yet" }),
  og: object({ v1Name: z.string(), bonusPoints: count, trait: z.string() }).nullable(),
  referral: object({
    code: z.string(),
    referrerTokenId: tokenId.nullable().meta({ description: "null for a V1 wallet that has no agent yet" }),
    referrerPoints: count,
    minterPoints: count,
  })
    .nullable()
    .meta({ description: "Bonus points, awarded on chain a few blocks later" }),
};
const mintId = z.uuid().meta({ description: "Names this registration" });

export const registrationSchema = object(registration).meta({ id: "Registration" });

export const pendingMintSchema = object({ status: z.literal("pending"), mintId, statusUrl: url }).meta({
  id: "PendingMint",
});

export const mintStateSchema = union([
  pendingMintSchema,
  object({
    status: z.literal("minted"),
    mintId,
    ...registration,
    solanaAddress: z.string().optional().meta({ description: "The key, where a Solana key registered" }),
    evmAddress: address.optional().meta({ description: "Receiver of that key's identity" }),
  }).meta({ id: "FinishedMint" }),
  object({
    status: z.literal("failed"),
    mintId,
    reason: z.string().meta({ description: "What the chain refused" }),
  }).meta({ id: "FailedMint" }),
]);

const documented = { type: "string", pattern: "^[1-9A-HJ-NP-Za-km-z]{32,44}$" };
const KEY_MEANING = "Public key of a Solana account, in base58";

const solanaKey = z
  .string()
  .refine(isKey, { error: "must be the public key of a Solana account, in base58" })
  .meta({ documented, description: KEY_MEANING } satisfies DocumentedMeta);

/** A wallet on Base that may receive a token, in any case. */
const receiver = z.string().transform((text, ctx): Address => {
  const parsed = parseAddress(text);
  if (parsed && !/^0x0+$/.test(parsed)) return parsed;
  ctx.addIssue(parsed ? "must not be the zero address" : "must be a 0x address of 20 bytes");
  return z.NEVER;
});

const nonce = z
  .string()
  .regex(/^[0-9a-f]{32}$/, { error: "must be the nonce of a challenge" })
  .meta({ description: "Of the challenge that was signed" });

const signature = textAs(signatureBytes, "must be an ed25519 signature of 64 bytes in base58, base64 or hex").meta({
  maxLength: 130,
  description: "Of the challenge's message, UTF-8: 64 bytes in base58, base64 or hex",
});

const PURPOSES = ["register", "verify"] as const satisfies readonly SolanaPurpose[];

export const challengeQuerySchema = object({
  address: solanaKey.meta({ examples: ["4zvwRjXUKGfvwnParsHAS3HuSVzV5cA4McphgmoCtajS"] }),
  purpose: optionalChoice(
    PURPOSES,
    "What the signature is to be good for: registering (and looking), or looking only; register by default",
  ),
  evmAddress: receiver.optional().meta({
    documented: { type: "string", pattern: "^0x[0-9a-fA-F]{40}$" },
    description: "Names the receiver of the identity in the signed text: nobody can register with it for another one",
  } satisfies DocumentedMeta),
});

export const challengeSchema = object({
  message: z.string().meta({ description: "Sign these bytes (UTF-8), as a wallet's signMessage does" }),
  timestamp: z.int().meta({ description: "When it was given out, milliseconds since 1970" }),
  nonce: z.string(),
  expiresAt: moment,
}).meta({ id: "SolanaChallenge" });

export const solanaVerifyBodySchema = strictObject({ address: solanaKey, signature, nonce }).meta({
  id: "SolanaVerifyRequest",
});

const evmAddress = address.meta({ description: "Wallet on Base that the identity goes to, checksummed" });

export const solanaVerifySchema = object({
  verified: z.literal(true),
  address: z.string().meta(documented),
  registration: object({
    status: z.enum(["pending", "minted"]),
    mintId: z.uuid(),
    statusUrl: url,
    tokenId: tokenId.nullable(),
    txHash: txHash.nullable(),
    block: block.nullable(),
    evmAddress,
  })
    .nullable()
    .meta({ description: "The key's registration, done or under way" }),
}).meta({ id: "SolanaVerified" });

export const solanaRegistrationBodySchema = strictObject({
  name: agentNameSchema,
  framework: optionalText(frameworkSchema),
  solanaAddress: solanaKey,
  soulbound: z.boolean().optional().meta({ description: "Locked to the wallet for ever" }),
  evmAddress: optionalText(receiver).meta({
    pattern: "^0x[0-9a-fA-F]{40}$",
    description: "Wallet on Base for the identity; without it, the one the signed text names, or else the payer's",
  }),
  nonce,
  signature,
}).meta({
  id: "SolanaRegistrationRequest",
  examples: [
    {
      name: "Atlas",
      solanaAddress: "4zvwRjXUKGfvwnParsHAS3HuSVzV5cA4McphgmoCtajS",
      nonce: "5f0c6d0e4b9a4f3c8a51d2e7b6c90f14",
      signature: "5f".repeat(64),
    },
  ],
});
export type SolanaRegistrationBody = z.output<typeof solanaRegistrationBodySchema>;

export const solanaRegistrationSchema = registrationSchema
  .extend({ solanaAddress: z.string().meta(documented), evmAddress })
  .meta({ id: "SolanaRegistration" });

const code = z.string().meta({ examples: ["atlas-7k2p"] });
const stats = object({
  totalReferrals: count.meta({ description: "Agents registered with the code" }),
  pointsEarned: count.meta({ description: "Points awarded on chain for them" }),
}).meta({ id: "ReferralStats" });
const isOG = z.boolean().meta({ description: "The code belongs to a wallet that held a V1 identity" });

export const referralSchema = object({
  tokenId,
  code,
  link: url,
  referrer: z.string().meta({ description: "Name of the agent" }),
  isOG,
  stats,
}).meta({ id: "Referral" });

export const referredSchema = object({
  tokenId,
  total: count.meta({ description: "All agents that came by the code" }),
  limit: z.int().min(1),
  agents: array(summarySchema),
  nextBefore: tokenId.nullable().meta({ description: "`before` of the next page; null on the last" }),
}).meta({ id: "ReferredAgents" });

export const referralCodeSchema = object({
  valid: z.literal(true),
  code,
  referrer: z.string().meta({ description: "Name of the agent the code belongs to" }),
  bonusPoints: z.literal(BONUSES.minter.points).meta({ description: "For the agent that is registered with it" }),
  isOG,
  stats,
}).meta({ id: "ReferralCode" });

export const ogSchema = union([
  object({ isOG: z.literal(false), address }),
  object({
    isOG: z.literal(true),
    address,
    v1Name: z.string(),
    referralCode: code,
    referralLink: url,
    benefits: object({
      freeMint: z.literal(OG_BENEFITS.freeMint),
      bonusPoints: z.literal(OG_BENEFITS.bonusPoints),
      ogTrait: z.literal(OG_BENEFITS.ogTrait),
    }),
  }),
]).meta({ id: "OgStatus" });
