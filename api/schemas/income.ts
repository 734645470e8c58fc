/** The answer about the payments to an agent's wallet. */
import { z } from "zod";
import { incomeRule, incomeWindowsSchema } from "../../core/income/view.ts";
import { address, block, count, inWords, moment, txHash, usdc } from "../../core/views/fields.ts";

export const agentPaymentsSchema = z
  .object({
    wallet: address.nullable().meta({ description: "The agent's wallet; null where none is known to be its own" }),
    walletAgents: count.meta({
      description: "Agents whose wallet this is: of more than one, nobody can say which was paid",
    }),
    readTo: block.nullable().meta({ description: "The block up to which payments are read; null: none yet" }),
    rules: z.int().min(1).meta({ description: "Version of the rules that the figures follow from" }),
    computedAt: moment.nullable().meta({ description: "Null where nothing was received, or nothing was weighed yet" }),
    windows: incomeWindowsSchema,
    payments: z
      .array(
        z.object({
          block,
          logIndex: count,
          txHash,
          paidAt: moment,
          payer: address,
          usdc,
          organic: z.boolean(),
          removed: z
            .object({
              rule: incomeRule,
              says: inWords,
              through: address.nullable().meta({ description: "The account between the agent's side and the payer" }),
            })
            .nullable()
            .meta({ description: "Why it is not organic; null where it is" }),
        }),
      )
      .meta({ description: "The newest first: those of the last 90 days that are weighed one by one" }),
    limit: z.int().min(1),
    nextCursor: z.string().nullable().meta({ description: "Give it back as `cursor`; null: these are the last" }),
  })
  .meta({ id: "AgentPayments" });
export type AgentPayments = z.output<typeof agentPaymentsSchema>;
