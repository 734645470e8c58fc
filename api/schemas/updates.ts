/** Changes of an agent: updates, verifications, proofs of accounts, links to other registries. */
import { array, object, strictObject, union, z } from "zod";
import { listingShape } from "../../core/agents/listing-input.ts";
import { narrativeSchema, personalitySchema } from "../../core/agents/profile-input.ts";
import { socialSchema } from "../../core/agents/social-input.ts";
import { linkTokenSchema } from "../../core/agents/token-input.ts";
import { traitsInputSchema } from "../../core/agents/trait-input.ts";
import type { ClaimField } from "../../core/proof-platforms/platform.ts";
import { PROOF_PLATFORMS, type ProofPlatform } from "../../core/proof-platforms.ts";
import { linkedTokenSchema } from "../../core/views/agent.ts";
import { address, block, bytes32, ignored, moment, tokenId, txHash, url } from "../../core/views/fields.ts";

export const pendingWriteSchema = object({
  status: z.literal("pending"),
  tokenId,
  txHashes: array(txHash).meta({ description: "Those of its transactions that are in a block already" }),
  message: z.string(),
}).meta({ id: "PendingWrite" });

/** The 202 of every write about an agent. */
export const PENDING_WRITE = {
  description:
    "Accepted; the chain, or what reads show, follows. The same request again, after `Retry-After` seconds, has the rest",
  schema: pendingWriteSchema,
} as const;

export const verifySchema = object({
  success: z.literal(true),
  tokenId,
  verified: z.literal(true),
  txHash,
  block: block.meta({ description: "Give it to a read as minBlock to see the agent verified" }),
}).meta({ id: "WalletVerified" });

export const exchangeVerifySchema = object({
  success: z.literal(true),
  tokenId,
  coinbaseVerified: z.literal(true),
  attestationUid: bytes32,
  attester: address,
  txHash: txHash.nullable().meta({ description: "null when the identity contract keeps no such mark" }),
  block: block.optional(),
}).meta({ id: "ExchangeVerified" });

/** A value brought into its form by the field's `parse`, or refused with its half-sentence. */
function fieldSchema({ parse, problem, numeric, optional, description, examples }: ClaimField): z.ZodType {
  const given: z.ZodType<string | number> = numeric ? union([z.number(), z.string()]) : z.string();
  const parsed = given.transform((value, ctx) => {
    const formed = parse(value);
    if (formed !== null) return formed;
    ctx.addIssue(problem);
    return z.NEVER;
  });
  return (optional ? parsed.optional() : parsed).meta({
    ...(description !== undefined && { description }),
    ...(examples && { examples: [...examples] }),
  });
}

/** `Farcaster` of `farcaster`, as in names of operations and schemas. */
export const capitalised = (key: string): string => key.charAt(0).toUpperCase() + key.slice(1);

/** The body of a request to prove an account; its output is the platform's claim. */
export const proofBodySchema = ({ key, fields, examples, claimOf }: ProofPlatform): z.ZodType =>
  object(Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, fieldSchema(field)])))
    .transform((body, ctx) => {
      const claim = claimOf(body as never);
      if (typeof claim === "string") ctx.addIssue(claim);
      return claim;
    })
    .meta({ id: `${capitalised(key)}ProofRequest`, examples: [...examples] });

/** What a proof on one of these platforms answers. */
export const provenSchema = (platforms: readonly ProofPlatform[] = PROOF_PLATFORMS) =>
  object({
    success: z.literal(true),
    tokenId,
    platform: z.enum(platforms.map(({ key }) => key)),
    handle: z.string().meta({ description: "As the platform writes it" }),
    username: z.string().optional(),
    ...Object.fromEntries(
      platforms.flatMap(({ label, numericId }) =>
        numericId === undefined
          ? []
          : [
              [
                numericId,
                z
                  .int()
                  .min(1)
                  .optional()
                  .meta({ description: `Of ${label} accounts` }),
              ],
            ],
      ),
    ),
    trait: z.string().meta({ description: "Trait that goes with the proof", examples: ["x-verified"] }),
    txHash: txHash.meta({
      description: "The transaction that gave the agent its trait, with its first proof on the platform",
    }),
    block: block.optional().meta({ description: "Where that transaction is, if this service sent it" }),
    explorer: url,
  }).meta({ id: "Proven" });

export const linkTokenBodySchema = linkTokenSchema.meta({
  id: "LinkTokenRequest",
  examples: [
    { contractAddress: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", chain: "base", symbol: "USDC", name: "USD Coin" },
  ],
});

export const linkTokenAnswerSchema = object({
  success: z.literal(true),
  tokenId,
  linkedToken: linkedTokenSchema,
  txHashes: array(txHash).meta({ description: "One for each of the four traits that store the token" }),
  block: block.optional().meta({ description: "Give it to a read as minBlock to see the token linked" }),
}).meta({ id: "TokenLinked" });

export const crossRegistrationSchema = object({
  success: z.literal(true),
  tokenId,
  manualRequired: z.literal(true),
  canonicalRegistration: object({
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
}).meta({ id: "CrossRegistration" });

export const crossRegistrationsSchema = object({
  tokenId,
  registry: address,
  chainId: z.int(),
  registrations: array(
    object({
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
  ).meta({ description: "Registrations of the token's owner and of the agent's wallet, the newest 20" }),
  indexedBlock: block.nullable(),
}).meta({ id: "CrossRegistrations" });

const personality = personalitySchema.meta({ description: "Only what is given changes; an empty string clears" });
const narrative = narrativeSchema.meta({ description: "Only what is given changes; an empty string clears" });

export const updateBodySchema = strictObject({
  personality: personality.optional(),
  narrative: narrative.optional(),
  traits: traitsInputSchema.optional().meta({
    description:
      "Added to those the agent has; names are unique per agent. The categories `verification` and `badge` and the names `*-verified` and `linked-token*` are reserved",
  }),
  ...listingShape,
}).meta({
  id: "UpdateRequest",
  examples: [
    {
      personality: { humor: "dry" },
      narrative: { mission: "" },
      traits: [{ name: "patient", category: "character" }],
      services: { mcp: { url: "https://example.org/mcp" } },
      skills: ["drafting"],
    },
  ],
});

/** The personality by its name, or its fields themselves. */
export const personalityBodySchema = strictObject({ personality: personality.optional(), ...personalitySchema.shape })
  .transform(({ personality, ...fields }) => ({ personality: { ...fields, ...personality } }))
  .meta({ id: "PersonalityRequest", examples: [{ personality: { riskTolerance: 3 } }] });

export const humanUpdateBodySchema = strictObject({
  signature: z
    .string()
    .regex(/^0x(?:[0-9a-fA-F]{2}){1,8192}$/, { error: "must be a 0x signature" })
    .meta({ description: "Of the owner's wallet (EIP-191), a contract's too" }),
  message: z.string().max(512).meta({
    description:
      "The text signed: `{service}: Update agent #<id> at <milliseconds since 1970>`, alone or with ` on <host> with content sha256:<hex>`",
  }),
  personality: personality.optional(),
  narrative: narrative.optional(),
  social: socialSchema.optional().meta({ description: "Handles, or addresses of the profiles; a website is a URL" }),
  ...listingShape,
}).meta({
  id: "HumanUpdateRequest",
  examples: [
    {
      message: "Helixa: Update agent #1 at 1795262400000",
      signature: `0x${"ab".repeat(64)}1b`,
      narrative: { mission: "To be useful." },
      social: { twitter: "example", website: "https://example.org" },
    },
  ],
});

export const updateSchema = object({
  success: z.literal(true),
  tokenId,
  updated: array(z.string()).meta({ examples: [["personality.humor", "narrative.mission", "trait:patient"]] }),
  storage: z.enum(["offchain", "onchain"]),
  txHashes: array(txHash).optional().meta({ description: "With onchain=true: a transaction for each part" }),
  block: block.optional().meta({ description: "Give it to a read as minBlock to see what was written on chain" }),
  ignored,
}).meta({ id: "Updated" });
