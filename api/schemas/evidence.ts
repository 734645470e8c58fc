/** Reviews, jobs and payments of an agent. */
import { z } from "zod";
import { JOB_STATES } from "../../core/commerce/jobs.ts";
import { EVALUATIONS } from "../../core/commerce/rules.ts";
import { incomeRule, incomeWindowsSchema, jobRule, jobWindowsSchema } from "../../core/income/view.ts";
import { FILE_STATES, PROOF_STATES } from "../../core/reviews/feedback-files.ts";
import { EVIDENCE_LEVELS, MAX_DIMENSIONS, NOTHING, SHARED } from "../../core/reviews/rules.ts";
import { MAX_CLUSTERS, registrationsSchema, reviewSummarySchema } from "../../core/reviews/view.ts";
import { address, block, count, inWords, moment, txHash, usdc } from "../../core/views/fields.ts";

const percent = z.number().min(0).max(100);
const reason = (keys: readonly string[]) =>
  z.object({
    evidence: z.enum(keys as [string, ...string[]]),
    says: inWords,
  });
const keysOf = (...tables: (readonly { key: string }[])[]) => tables.flat().map(({ key }) => key);

const version = z.int().min(1).meta({ description: "Version of the rules that the figures follow from" });
const OF_PAGES = {
  limit: z.int().min(1),
  nextCursor: z.string().nullable().meta({ description: "Give it back as `cursor`; null: these are the last" }),
};

export const agentReviewsSchema = z
  .object({
    registry: z
      .string()
      .nullable()
      .meta({ description: "The ERC-8004 registry; null for an agent of another one, which has no reviews" }),
    agentId: z.string().meta({ description: "Of an own agent the first of `registrations`" }),
    registrations: registrationsSchema,
    rules: version,
    ...reviewSummarySchema.shape,
    clusters: z.array(z.object({ id: z.string(), reviewers: count, reasons: z.array(reason(keysOf(SHARED))) })).meta({
      description: `Reviewers that count as one, the largest ${MAX_CLUSTERS} of them; \`id\` is the least address`,
    }),
    dimensions: z
      .array(
        z.object({
          tag: z.string().meta({ description: "The first tag of reviews, untrusted text; empty without one" }),
          reviews: count.meta({ description: "Those that are not revoked, by any author" }),
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
          .array(reason(keysOf(NOTHING, EVIDENCE_LEVELS, SHARED)))
          .min(1)
          .meta({ description: "Why it counts how much, the most important first" }),
      }),
    ),
    ...OF_PAGES,
  })
  .meta({ id: "AgentReviews" });

const evaluation = z.enum(EVALUATIONS.map(({ key }) => key) as unknown as [string, ...string[]]);

/** What is said of what an agent's wallet earned before any of it. @param of.did what of several agents nobody can say which did */
const earnedBy = <Windows extends z.ZodType>(of: { what: string; did: string; none: string; windows: Windows }) => ({
  wallet: address.nullable().meta({ description: "The agent's wallet; null where none is known to be its own" }),
  walletAgents: count.meta({
    description: `Agents whose wallet this is: of more than one, nobody can say which ${of.did}`,
  }),
  readTo: block.nullable().meta({ description: `The block up to which ${of.what} are read; null: none yet` }),
  rules: version,
  computedAt: moment.nullable().meta({ description: `Null where ${of.none}` }),
  windows: of.windows,
});

/** Whether a payment or a job counts. @param payer who paid it */
const judged = <Rule extends z.ZodType>(rule: Rule, payer: string) => ({
  organic: z.boolean(),
  removed: z
    .object({
      rule,
      says: inWords,
      through: address.nullable().meta({ description: `The account between the agent's side and the ${payer}` }),
    })
    .nullable()
    .meta({ description: "Why it is not organic; null where it is" }),
});

export const agentJobsPageSchema = z
  .object({
    contract: address.nullable().meta({ description: "Whose jobs are read; null: none are read here" }),
    ...earnedBy({
      ...{ what: "jobs", did: "worked", windows: jobWindowsSchema },
      none: "the agent has no jobs, or they are not weighed yet",
    }),
    jobs: z
      .array(
        z.object({
          jobId: z.string().meta({ description: "Number of the job in the contract, decimal" }),
          state: z.enum(JOB_STATES),
          client: address.meta({ description: "Who put the money in escrow" }),
          evaluator: address.nullable().meta({ description: "Who says whether the work is done; null: nobody" }),
          evaluation: z.object({ by: evaluation, says: inWords }),
          token: address.nullable().meta({ description: "What it is paid in; null where the chain does not show it" }),
          units: z.string().meta({ description: "Its value in the least units of the token" }),
          usdc: usdc.nullable().meta({ description: "Its value in USDC, decimal; null in another token" }),
          expiresAt: moment.meta({ description: "From when on the client gets unspent money back" }),
          fundedAt: moment,
          submittedAt: moment.nullable().meta({ description: "When the agent handed work in" }),
          endedAt: moment.nullable().meta({ description: "When it was completed, rejected or expired" }),
          block: block.meta({ description: "In which it was funded" }),
          txHash: txHash.meta({ description: "Which funded it" }),
          endTxHash: txHash.nullable().meta({ description: "Which ended it" }),
          ...judged(jobRule, "client"),
        }),
      )
      .meta({ description: "Those that were funded, the newest first" }),
    ...OF_PAGES,
  })
  .meta({ id: "AgentJobs" });
export type AgentJobs = z.output<typeof agentJobsPageSchema>;

export const agentPaymentsSchema = z
  .object({
    ...earnedBy({
      ...{ what: "payments", did: "was paid", windows: incomeWindowsSchema },
      none: "nothing was received, or nothing was weighed yet",
    }),
    payments: z
      .array(
        z.object({
          block,
          logIndex: count,
          txHash,
          paidAt: moment,
          payer: address,
          usdc,
          ...judged(incomeRule, "payer"),
        }),
      )
      .meta({ description: "The newest first: those of the last 90 days that are weighed one by one" }),
    ...OF_PAGES,
  })
  .meta({ id: "AgentPayments" });
export type AgentPayments = z.output<typeof agentPaymentsSchema>;
