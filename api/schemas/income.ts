/** The answer about the payments to an agent's wallet. */
import { z } from "zod";
import { REMOVED } from "../../core/income/rules.ts";
import { address, block, count, moment, txHash, usdc } from "../../core/views/fields.ts";

const rule = z.enum(REMOVED.map(({ key }) => key) as unknown as [string, ...string[]]);
const says = z.string().meta({ description: "The same in words" });
const sum = { payments: count, usdc };
const income = {
  ...sum,
  payers: count.meta({ description: "In `organic`, payers whose money had one source are one" }),
  repeatPayers: count.meta({ description: "Payers that paid more than once" }),
};

export const agentPaymentsSchema = z
  .object({
    wallet: address.nullable().meta({ description: "The agent's wallet; null where none is known to be its own" }),
    walletAgents: count.meta({
      description: "Agents whose wallet this is: of more than one, nobody can say which was paid",
    }),
    readTo: block.nullable().meta({ description: "The block up to which payments are read; null: none yet" }),
    rules: z.int().min(1).meta({ description: "Version of the rules that the figures follow from" }),
    computedAt: moment.nullable().meta({ description: "Null where nothing was received, or nothing was weighed yet" }),
    windows: z
      .array(
        z.object({
          days: z.int().min(1),
          raw: z
            .object({ ...income, refunds: z.object(sum).meta({ description: "Payments that were given back" }) })
            .meta({ description: "All payments, whoever made them" }),
          organic: z.object(income).meta({ description: "What no rule removes" }),
          removed: z
            .array(z.object({ rule, says, ...sum }))
            .meta({ description: "The others, by the rule that removes them" }),
        }),
      )
      .meta({ description: "The last 7, 30 and 90 days" }),
    payments: z
      .array(
        z.object({
          ...{ block, logIndex: count, txHash, paidAt: moment, payer: address, usdc, organic: z.boolean() },
          removed: z
            .object({
              ...{ rule, says },
              through: address.nullable().meta({ description: "The account between the agent's side and the payer" }),
            })
            .nullable()
            .meta({ description: "Why it is not organic; null where it is" }),
        }),
      )
      .meta({ description: "The newest first; of the last 90 days, 10,000 at most" }),
    limit: z.int().min(1),
    nextCursor: z.string().nullable().meta({ description: "Give it back as `cursor`; null: these are the last" }),
  })
  .meta({ id: "AgentPayments" });
export type AgentPayments = z.output<typeof agentPaymentsSchema>;
