/** The answer about an agent's jobs. */
import { z } from "zod";
import { JOB_STATES } from "../../core/commerce/jobs.ts";
import { EVALUATIONS } from "../../core/commerce/rules.ts";
import { jobRule, jobWindowsSchema } from "../../core/commerce/view.ts";
import { address, block, count, inWords, moment, txHash, usdc } from "../../core/views/fields.ts";

const evaluation = z.enum(EVALUATIONS.map(({ key }) => key) as unknown as [string, ...string[]]);

export const agentJobsPageSchema = z
  .object({
    contract: address.nullable().meta({ description: "Whose jobs are read; null: none are read here" }),
    wallet: address.nullable().meta({ description: "The agent's wallet; null where none is known to be its own" }),
    walletAgents: count.meta({
      description: "Agents whose wallet this is: of more than one, nobody can say which worked",
    }),
    readTo: block.nullable().meta({ description: "The block up to which jobs are read; null: none yet" }),
    rules: z.int().min(1).meta({ description: "Version of the rules that the figures follow from" }),
    computedAt: moment
      .nullable()
      .meta({ description: "Null where the agent has no jobs, or they are not weighed yet" }),
    windows: jobWindowsSchema,
    jobs: z
      .array(
        z.object({
          jobId: z.string().meta({ description: "Number of the job in the contract, decimal" }),
          state: z.enum(JOB_STATES),
          client: address.meta({ description: "Who put the money in escrow" }),
          evaluator: address.nullable().meta({ description: "Who says whether the work is done; null: nobody" }),
          evaluation: z.object({ by: evaluation, says: inWords }),
          token: address.nullable().meta({ description: "What it is paid in; null where the chain does not tell" }),
          units: z.string().meta({ description: "Its value in the least units of the token" }),
          usdc: usdc.nullable().meta({ description: "Its value in USDC, decimal; null in another token" }),
          expiresAt: moment.meta({ description: "From when on the client gets unspent money back" }),
          fundedAt: moment,
          submittedAt: moment.nullable().meta({ description: "When the agent handed work in" }),
          endedAt: moment.nullable().meta({ description: "When it was completed, rejected or expired" }),
          block: block.meta({ description: "In which it was funded" }),
          txHash: txHash.meta({ description: "Which funded it" }),
          endTxHash: txHash.nullable().meta({ description: "Which ended it" }),
          organic: z.boolean(),
          removed: z
            .object({
              rule: jobRule,
              says: inWords,
              through: address.nullable().meta({ description: "The account between the agent's side and the client" }),
            })
            .nullable()
            .meta({ description: "Why it is not organic; null where it is" }),
        }),
      )
      .meta({ description: "Those that were funded, the newest first" }),
    limit: z.int().min(1),
    nextCursor: z.string().nullable().meta({ description: "Give it back as `cursor`; null: these are the last" }),
  })
  .meta({ id: "AgentJobs" });
export type AgentJobs = z.output<typeof agentJobsPageSchema>;
