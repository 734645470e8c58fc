/** The API's view of what an agent earned: the payments to its wallet, and the jobs that it was hired for. Amounts are decimal strings of USDC. */
import { array, object, z } from "zod";
import { checksum } from "../addresses.ts";
import type { Job, JobPlace } from "../commerce/jobs.ts";
import { JOB_REMOVED, JOB_RULES_VERSION, type JobRemovedKey, jobSays } from "../commerce/rules.ts";
import { evaluationOf, type JobStats } from "../commerce/stats.ts";
import { isoSeconds } from "../times.ts";
import { type UnitsAsText, usdcText } from "../units-text.ts";
import { count, inWords, usdc } from "../views/fields.ts";
import type { ReceivedPayment } from "./facts.ts";
import type { Removal } from "./money.ts";
import { INCOME_RULES_VERSION, REMOVED, type RemovedKey, removedSays, WINDOWS } from "./rules.ts";
import type { IncomeStats } from "./stats.ts";

/** Stats as they are stored: units as decimal strings. */
export type StoredStats = UnitsAsText<IncomeStats>;
export type StoredJobStats = UnitsAsText<JobStats>;
type StoredIncomeWindow = StoredStats["windows"][number];
type StoredJobWindow = StoredJobStats["windows"][number];
/** What an agent was paid and hired for in the last 90 days; null where none are known. */
export type PaidWork = { payments: StoredIncomeWindow | null; jobs: StoredJobWindow | null };

/** Why a payment or a job is not organic; `removed` is null where it is. @param saysOf the words of a rule */
const removedView = <Rule>(removed: Removal<Rule> | null, saysOf: (rule: Rule) => string) => ({
  organic: removed === null,
  removed: removed && {
    rule: removed.rule,
    says: saysOf(removed.rule),
    through: removed.through && checksum(removed.through),
  },
});

const inUsdc = <Sums extends { units: string }>({ units, ...sums }: Sums) => ({ ...sums, usdc: usdcText(units) });

export const incomeRule = z.enum(REMOVED.map(({ key }) => key) as unknown as [string, ...string[]]);
const sum = { payments: count, usdc };
const income = {
  ...sum,
  payers: count.meta({ description: "In `organic`, payers whose money had one source are one" }),
  repeatPayers: count.meta({ description: "Payers that paid more than once" }),
};
export const incomeWindowSchema = object({
  days: z.int().min(1),
  raw: object({ ...income, refunds: object(sum).meta({ description: "Payments that were given back" }) }).meta({
    description: "All payments, whoever made them",
  }),
  organic: object(income).meta({ description: "What no rule removes" }),
  removed: array(object({ rule: incomeRule, says: inWords, ...sum })).meta({
    description: "The others, by the rule that removes them",
  }),
});
export const incomeWindowsSchema = array(incomeWindowSchema).meta({ description: "The last 7, 30 and 90 days" });

/** Of an own agent, in its view and report. */
export const agentIncomeSchema = object({ rules: z.int().min(1), windows: incomeWindowsSchema })
  .nullable()
  .meta({
    id: "AgentPaymentFigures",
    description:
      "Payments to the agent's wallet: `GET /api/v2/agent/{ref}/payments`. Null where none are known. No figure is part of the cred score",
  });

const NO_INCOME = { payments: 0, units: "0", payers: 0, repeatPayers: 0 };
const noIncome = (days: number): StoredIncomeWindow => ({
  days,
  organic: NO_INCOME,
  removed: [],
  raw: { ...NO_INCOME, refunds: { payments: 0, units: "0" } },
});

const incomeWindowView = ({ days, raw: { refunds, ...raw }, organic, removed }: StoredIncomeWindow) => ({
  days,
  raw: { ...inUsdc(raw), refunds: inUsdc(refunds) },
  organic: inUsdc(organic),
  removed: removed.map(({ rule, ...sums }) => ({ rule, says: removedSays(rule), ...inUsdc(sums) })),
});

/** The stats; of an agent without payments they are zero. */
export const incomeStatsView = (stats: StoredStats | null) => ({
  rules: stats?.rules ?? INCOME_RULES_VERSION,
  windows: (stats?.windows ?? WINDOWS.map(noIncome)).map(incomeWindowView),
});

/** One payment. @param through the account between the agent's side and the payer */
export const receivedPaymentView = (
  payment: UnitsAsText<ReceivedPayment> & { rule: RemovedKey | null; through: string | null },
) => ({
  block: payment.block,
  logIndex: payment.logIndex,
  txHash: payment.txHash,
  paidAt: isoSeconds(payment.at),
  payer: checksum(payment.payer),
  usdc: usdcText(payment.units),
  ...removedView(payment.rule && { rule: payment.rule, through: payment.through }, removedSays),
});

export const jobRule = z.enum(JOB_REMOVED.map(({ key }) => key) as unknown as [string, ...string[]]);
const value = usdc.meta({ description: "Value of the completed ones in USDC, decimal" });
const sums = object({
  funded: count,
  completed: count,
  rejected: count,
  expired: count,
  usdc: value,
  clients: count.meta({ description: "In `organic`, clients whose money had one source are one" }),
  evaluators: count.meta({ description: "Accounts that completed or rejected, other than each job's client" }),
  evaluatedByClient: count.meta({ description: "Completed ones that the client itself evaluated" }),
  notEvaluated: count.meta({ description: "Completed ones that nobody evaluated" }),
});
export const jobWindowSchema = object({
  days: z.int().min(1),
  raw: sums.meta({ description: "All that were funded, whoever the client is" }),
  organic: sums.meta({ description: "What no rule removes" }),
  removed: array(object({ rule: jobRule, says: inWords, funded: count, completed: count, usdc: value })).meta({
    description: "The others, by the rule that removes them",
  }),
});
export const jobWindowsSchema = array(jobWindowSchema).meta({ description: "The last 7, 30 and 90 days" });

/** Of an own agent, in its view and report. */
export const agentJobsSchema = object({ rules: z.int().min(1), windows: jobWindowsSchema })
  .nullable()
  .meta({
    id: "AgentJobFigures",
    description:
      "Jobs (ERC-8183) that the agent's wallet was the provider of: `GET /api/v2/agent/{ref}/jobs`. Null where none are known. No figure is part of the cred score",
  });

const NO_JOBS = {
  funded: 0,
  completed: 0,
  rejected: 0,
  expired: 0,
  units: "0",
  clients: 0,
  evaluators: 0,
  evaluatedByClient: 0,
  notEvaluated: 0,
};
const noJobs = (days: number): StoredJobWindow => ({ days, raw: NO_JOBS, organic: NO_JOBS, removed: [] });

const jobWindowView = ({ days, raw, organic, removed }: StoredJobWindow) => ({
  days,
  raw: inUsdc(raw),
  organic: inUsdc(organic),
  removed: removed.map(({ rule, ...sums }) => ({ rule, says: jobSays(rule), ...inUsdc(sums) })),
});

/** The stats; of an agent without jobs they are zero. */
export const jobStatsView = (stats: StoredJobStats | null) => ({
  rules: stats?.rules ?? JOB_RULES_VERSION,
  windows: (stats?.windows ?? WINDOWS.map(noJobs)).map(jobWindowView),
});

const timeOf = (place: JobPlace | null) => place && isoSeconds(place.at);

/** One job that was funded. @param usdcAddress lower-case */
export function jobView(job: Job & { funded: JobPlace }, usdcAddress: string, removed: Removal<JobRemovedKey> | null) {
  const { jobId, state, client, evaluator, token, units, expiresAt, funded, submitted, ended } = job;
  const by = evaluationOf(job);
  return {
    jobId,
    state,
    client: checksum(client),
    evaluator: evaluator && checksum(evaluator),
    evaluation: { by, says: jobSays(by) },
    token: token && checksum(token),
    units: String(units ?? 0n),
    usdc: token === usdcAddress ? usdcText(String(units ?? 0n)) : null,
    expiresAt: isoSeconds(expiresAt),
    fundedAt: isoSeconds(funded.at),
    submittedAt: timeOf(submitted),
    endedAt: timeOf(ended),
    block: funded.block,
    txHash: funded.txHash,
    endTxHash: ended?.txHash ?? null,
    ...removedView(removed, jobSays),
  };
}

export const paidWorkView = ({ payments, jobs }: PaidWork) => ({
  payments: payments && incomeWindowView(payments),
  jobs: jobs && jobWindowView(jobs),
});
