/** Schemas of social proofs: the claimed account, and the answer once it is proven. Both derive from the list of platforms. */
import { z } from "zod";
import type { ClaimField } from "../../core/proof-platforms/platform.ts";
import { PROOF_PLATFORMS, type ProofPlatform } from "../../core/proof-platforms.ts";
import { block, tokenId, txHash, url } from "../../core/views/fields.ts";

/** A value brought into its form by the field's `parse`, or refused with its half-sentence. */
function fieldSchema({ parse, problem, numeric, optional, description, examples }: ClaimField): z.ZodType {
  const given: z.ZodType<string | number> = numeric ? z.union([z.number(), z.string()]) : z.string();
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
  z
    .object(Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, fieldSchema(field)])))
    .transform((body, ctx) => {
      const claim = claimOf(body as never);
      if (typeof claim === "string") ctx.addIssue(claim);
      return claim;
    })
    .meta({ id: `${capitalised(key)}ProofRequest`, examples: [...examples] });

/** What a proof on one of these platforms answers. */
export const provenSchema = (platforms: readonly ProofPlatform[] = PROOF_PLATFORMS) =>
  z
    .object({
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
    })
    .meta({ id: "Proven" });
