/** The API's view of the payments to an agent's wallet. Amounts are decimal strings of USDC. */
import { z } from "zod";
import { checksum } from "../addresses.ts";
import { isoSeconds } from "../times.ts";
import { type UnitsAsText, usdcText } from "../units-text.ts";
import { count, inWords, usdc } from "../views/fields.ts";
import { INCOME_RULES_VERSION, REMOVED, type RemovedKey, removedSays, WINDOWS } from "./rules.ts";
import type { IncomeFigures } from "./weigh.ts";

/** Figures as they are stored: units as decimal strings. */
export type StoredFigures = UnitsAsText<IncomeFigures>;
export type StoredIncomeWindow = StoredFigures["windows"][number];

export const incomeRule = z.enum(REMOVED.map(({ key }) => key) as unknown as [string, ...string[]]);
const sum = { payments: count, usdc };
const income = {
  ...sum,
  payers: count.meta({ description: "In `organic`, payers whose money had one source are one" }),
  repeatPayers: count.meta({ description: "Payers that paid more than once" }),
};
export const incomeWindowSchema = z.object({
  days: z.int().min(1),
  raw: z
    .object({ ...income, refunds: z.object(sum).meta({ description: "Payments that were given back" }) })
    .meta({ description: "All payments, whoever made them" }),
  organic: z.object(income).meta({ description: "What no rule removes" }),
  removed: z
    .array(z.object({ rule: incomeRule, says: inWords, ...sum }))
    .meta({ description: "The others, by the rule that removes them" }),
});
export const incomeWindowsSchema = z.array(incomeWindowSchema).meta({ description: "The last 7, 30 and 90 days" });

/** Of an own agent, in its view and report. */
export const agentIncomeSchema = z
  .object({ rules: z.int().min(1), windows: incomeWindowsSchema })
  .nullable()
  .meta({
    id: "AgentPaymentFigures",
    description:
      "Payments to the agent's wallet: `GET /api/v2/agent/{ref}/payments`. Null where none are known. No figure is part of the cred score",
  });

type Sum = { payments: number; units: string };
const sumView = ({ payments, units }: Sum) => ({ payments, usdc: usdcText(units) });
const incomeView = ({ payers, repeatPayers, ...sum }: Sum & { payers: number; repeatPayers: number }) => ({
  ...sumView(sum),
  payers,
  repeatPayers,
});

const NONE = { payments: 0, units: "0", payers: 0, repeatPayers: 0 };
const windowOf = (days: number): StoredIncomeWindow => ({
  days,
  organic: NONE,
  removed: [],
  raw: { ...NONE, refunds: { payments: 0, units: "0" } },
});

export const incomeWindowView = ({ days, raw, organic, removed }: StoredIncomeWindow) => ({
  days,
  raw: { ...incomeView(raw), refunds: sumView(raw.refunds) },
  organic: incomeView(organic),
  removed: removed.map(({ rule, ...sum }) => ({ rule, says: removedSays(rule), ...sumView(sum) })),
});

/** The figures; of an agent without payments they are zero. */
export const incomeFiguresView = (figures: StoredFigures | null) => ({
  rules: figures?.rules ?? INCOME_RULES_VERSION,
  windows: (figures?.windows ?? WINDOWS.map(windowOf)).map(incomeWindowView),
});

/** The figures of an own agent; null where no payment to it is known. */
export const agentIncomeView = (figures: StoredFigures | null): z.output<typeof agentIncomeSchema> =>
  figures && incomeFiguresView(figures);

/** One payment. @param through the account between the agent's side and the payer */
export const receivedPaymentView = (payment: {
  block: number;
  logIndex: number;
  txHash: string;
  at: number;
  payer: string;
  units: string;
  rule: RemovedKey | null;
  through: string | null;
}) => ({
  block: payment.block,
  logIndex: payment.logIndex,
  txHash: payment.txHash,
  paidAt: isoSeconds(payment.at),
  payer: checksum(payment.payer),
  usdc: usdcText(payment.units),
  organic: payment.rule === null,
  removed: payment.rule && {
    rule: payment.rule,
    says: removedSays(payment.rule),
    through: payment.through && checksum(payment.through),
  },
});
