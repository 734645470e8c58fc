/** Schemas of registration with a Solana key: the signed text, its signature, the answer. */
import { z } from "zod";
import { parseAddress } from "../../core/addresses.ts";
import type { Address } from "../../core/agents/facts.ts";
import { frameworkSchema } from "../../core/agents/framework-input.ts";
import { agentNameSchema } from "../../core/agents/names.ts";
import type { SolanaPurpose } from "../../core/callers/signed-texts.ts";
import { isKey, signatureBytes } from "../../core/solana/keys.ts";
import { optionalText } from "../../core/text.ts";
import { address, block, moment, tokenId, txHash, url } from "../../core/views/fields.ts";
import { type DocumentedMeta, optionalChoice } from "../parameters.ts";
import { registrationSchema } from "./mint.ts";

const documented = { type: "string", pattern: "^[1-9A-HJ-NP-Za-km-z]{32,44}$" };
const KEY_MEANING = "Public key of a Solana account, in base58";

/** A Solana key in a body or a query. */
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

const signature = z
  .string()
  .transform((text, ctx) => {
    const bytes = signatureBytes(text);
    if (bytes) return bytes;
    ctx.addIssue("must be an ed25519 signature of 64 bytes in base58, base64 or hex");
    return z.NEVER;
  })
  .meta({ maxLength: 130, description: "Of the challenge's message, UTF-8: 64 bytes in base58, base64 or hex" });

const PURPOSES = ["register", "verify"] as const satisfies readonly SolanaPurpose[];

export const challengeQuerySchema = z.object({
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

export const challengeSchema = z
  .object({
    message: z.string().meta({ description: "Sign these bytes (UTF-8), as a wallet's signMessage does" }),
    timestamp: z.int().meta({ description: "When it was given out, milliseconds since 1970" }),
    nonce: z.string(),
    expiresAt: moment,
  })
  .meta({ id: "SolanaChallenge" });

export const solanaVerifyBodySchema = z
  .strictObject({ address: solanaKey, signature, nonce })
  .meta({ id: "SolanaVerifyRequest" });

const evmAddress = address.meta({ description: "Wallet on Base that the identity goes to, checksummed" });

export const solanaVerifySchema = z
  .object({
    verified: z.literal(true),
    address: z.string().meta(documented),
    registration: z
      .object({
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
  })
  .meta({ id: "SolanaVerified" });

export const solanaRegistrationBodySchema = z
  .strictObject({
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
  })
  .meta({
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
