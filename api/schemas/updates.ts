/** Schemas of changes of an agent by its controllers. */
import { z } from "zod";
import { listingShape } from "../../core/agents/listing-input.ts";
import { narrativeSchema, personalitySchema } from "../../core/agents/profile-input.ts";
import { socialSchema } from "../../core/agents/social-input.ts";
import { traitsInputSchema } from "../../core/agents/trait-input.ts";
import { block, ignored, tokenId, txHash } from "../../core/views/fields.ts";

const personality = personalitySchema.meta({ description: "Only what is given changes; an empty string clears" });
const narrative = narrativeSchema.meta({ description: "Only what is given changes; an empty string clears" });

export const updateBodySchema = z
  .strictObject({
    personality: personality.optional(),
    narrative: narrative.optional(),
    traits: traitsInputSchema.optional().meta({
      description:
        "Added to those the agent has; names are unique per agent. The categories `verification` and `badge` and the names `*-verified` and `linked-token*` are reserved",
    }),
    ...listingShape,
  })
  .meta({
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
export const personalityBodySchema = z
  .strictObject({ personality: personality.optional(), ...personalitySchema.shape })
  .transform(({ personality, ...fields }) => ({ personality: { ...fields, ...personality } }))
  .meta({ id: "PersonalityRequest", examples: [{ personality: { riskTolerance: 3 } }] });

export const humanUpdateBodySchema = z
  .strictObject({
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
  })
  .meta({
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

export const updateSchema = z
  .object({
    success: z.literal(true),
    tokenId,
    updated: z.array(z.string()).meta({ examples: [["personality.humor", "narrative.mission", "trait:patient"]] }),
    storage: z.enum(["offchain", "onchain"]),
    txHashes: z.array(txHash).optional().meta({ description: "With onchain=true: a transaction for each part" }),
    block: block.optional().meta({ description: "Give it to a read as minBlock to see what was written on chain" }),
    ignored,
  })
  .meta({ id: "Updated" });
