/** The answer about an agent's reviews and what they are worth. */
import { z } from "zod";
import { FILE_STATES, PROOF_STATES } from "../../core/reviews/feedback-files.ts";
import { MAX_DIMENSIONS, NOTHING, SHARED, STANDINGS } from "../../core/reviews/rules.ts";
import { MAX_CLUSTERS, registrationsSchema, reviewSummarySchema } from "../../core/reviews/view.ts";
import { address, count, inWords, moment, txHash, usdc } from "../../core/views/fields.ts";

const percent = z.number().min(0).max(100);
const reason = (keys: readonly string[]) =>
  z.object({
    evidence: z.enum(keys as [string, ...string[]]),
    says: inWords,
  });
const keysOf = (...tables: (readonly { key: string }[])[]) => tables.flat().map(({ key }) => key);

export const agentReviewsSchema = z
  .object({
    registry: z
      .string()
      .nullable()
      .meta({ description: "The ERC-8004 registry; null for an agent of another one, which has no reviews" }),
    agentId: z.string().meta({ description: "Of an own agent the first of `registrations`" }),
    registrations: registrationsSchema,
    rules: z.int().min(1).meta({ description: "Version of the rules that the figures follow from" }),
    ...reviewSummarySchema.shape,
    clusters: z.array(z.object({ id: z.string(), reviewers: count, reasons: z.array(reason(keysOf(SHARED))) })).meta({
      description: `Reviewers that count as one, the largest ${MAX_CLUSTERS} of them; \`id\` is the least address`,
    }),
    dimensions: z
      .array(
        z.object({
          tag: z.string().meta({ description: "The first tag of reviews, a stranger's words; empty without one" }),
          reviews: count.meta({ description: "Those that stand, whoever wrote them" }),
          raw: percent.nullable(),
          adjusted: percent.nullable(),
        }),
      )
      .max(MAX_DIMENSIONS)
      .meta({
        description: `At most ${MAX_DIMENSIONS} tags: those with a scale, then those of most reviewers, each by the same weights; null without a scale`,
      }),
    computedAt: moment
      .nullable()
      .meta({ description: "Null where nothing was weighed yet, or there is nothing to weigh" }),
    reviews: z.array(
      z.object({
        agentId: z.string().meta({ description: "The registration that it is about" }),
        client: z.string(),
        index: z.string(),
        value: z.string().meta({ description: "Decimal, as written; what it means is up to its tags" }),
        rating: percent.nullable().meta({ description: "The value from 0 to 100; null where its tag has no scale" }),
        tags: z.array(z.string()),
        uri: z.string().nullable(),
        file: z
          .object({
            state: z.enum(keysOf(FILE_STATES) as [string, ...string[]]),
            says: z.string(),
            readAt: moment.nullable(),
          })
          .nullable()
          .meta({
            description:
              "The file that `uri` names, and whether it has the hash that the review gives; null without one. It raises no weight",
          }),
        paid: z
          .object({
            state: z.enum(keysOf(PROOF_STATES) as [string, ...string[]]),
            says: z.string(),
            txHash: txHash.nullable(),
            payer: address.nullable(),
            usdc: usdc.nullable(),
            at: moment.nullable(),
          })
          .nullable()
          .meta({
            description:
              "The payment that the file names (`proofOfPayment`), by the Transfer logs of its transaction; null where it names none. `paid` alone is evidence",
          }),
        revoked: z.boolean(),
        givenAt: moment,
        txHash: z.string(),
        responses: count,
        answers: z
          .array(
            z.object({
              responder: z.string(),
              own: z.boolean().meta({ description: "It is the agent's owner or wallet; anybody may respond" }),
              uri: z.string().nullable(),
              at: moment,
              txHash: z.string(),
            }),
          )
          .meta({ description: "The first five responses, the agent's own before others" }),
        written: count.optional().meta({
          description: "With `newest`: how many reviews of the agent its client wrote, counted up to 1,000",
        }),
        weight: z.number().min(0).max(1),
        cluster: z.string().nullable().meta({ description: "The `id` of the cluster that its client is in" }),
        reasons: z
          .array(reason(keysOf(NOTHING, STANDINGS, SHARED)))
          .min(1)
          .meta({ description: "Why it counts how much, the most important first" }),
      }),
    ),
    limit: z.int().min(1),
    nextCursor: z.string().nullable().meta({ description: "Give it back as `cursor`; null: these are the last" }),
  })
  .meta({ id: "AgentReviews" });
