/** Raw and organic jobs of which an agent was the provider: which were ordered by others than its own side, and why the rest does not count. */
import type { MoneyFacts } from "../income/facts.ts";
import { moneyOf, type Paid, type Removal } from "../income/money.ts";
import { DUST_UNITS, WINDOWS } from "../income/rules.ts";
import type { Job } from "./jobs.ts";
import { type EvaluationKey, JOB_REMOVED, JOB_RULES_VERSION, type JobRemovedKey } from "./rules.ts";

/** A job as far as figures follow from it. */
export type WeighableJob = Pick<Job, "jobId" | "state" | "client" | "evaluator" | "token" | "units"> & {
  /** Where it ended, or was funded: up to there the client's money has to be read. */
  block: number;
  /** Unix seconds. */
  fundedAt: number;
  endedAt: number | null;
};
/** What is known about the jobs of one agent, and the money of its clients: their transfers, and jobs that they did for its side. */
export type JobFacts = MoneyFacts & {
  /** The token whose worth is known. */
  usdc: string;
  /** Of the longest window. */
  jobs: readonly WeighableJob[];
};
export type WeighedJob = WeighableJob & { removed: Removal<JobRemovedKey> | null };

type JobSums = {
  funded: number;
  completed: number;
  rejected: number;
  expired: number;
  /** Value of the completed ones in units of USDC. */
  units: bigint;
  clients: number;
  /** Accounts that completed or rejected, other than each job's client. */
  evaluators: number;
  /** Completed ones that the client itself evaluated, and those without an evaluator. */
  evaluatedByClient: number;
  notEvaluated: number;
};
type JobWindow = {
  days: number;
  raw: JobSums;
  organic: JobSums;
  /** What is removed, by rule, in the order of the table. */
  removed: { rule: JobRemovedKey; funded: number; completed: number; units: bigint }[];
};
export type JobFigures = { rules: number; windows: JobWindow[] };

/** Who evaluates a job. */
export const evaluationOf = ({ client, evaluator }: Pick<Job, "client" | "evaluator">): EvaluationKey =>
  evaluator === null ? "nobody" : evaluator === client ? "client" : "other";

/** The rule that applies to a job without what is known of its client's money; null for none. */
function ownRuleOf(
  { client, evaluator, token, units }: Pick<WeighableJob, "client" | "evaluator" | "token" | "units">,
  { wallet, owner, group, usdc }: Pick<JobFacts, "wallet" | "owner" | "group" | "usdc">,
): JobRemovedKey | null {
  const isOurs = (address: string) => address === wallet || address === owner || group.includes(address);
  if (client === wallet || client === owner) return "self";
  if (isOurs(client)) return "own_group";
  if (evaluator !== null && isOurs(evaluator)) return "own_evaluator";
  if (token !== usdc) return "other_token";
  return (units ?? 0n) < DUST_UNITS ? "dust" : null;
}

/**
 * Weighs the jobs that an agent was the provider of and that were funded: opening one costs nothing. A function of the facts
 * and a clock value; their order does not matter. A job is in a window by when it was funded, its end by when it ended.
 *
 * A client's money is judged as a payer's (core/income/money.ts): what the escrow gave back was not paid.
 * @param now Unix seconds
 */
export function weighJobs(facts: JobFacts, now: number): { figures: JobFigures; jobs: WeighedJob[] } {
  const { removals, voices } = moneyOf(facts);
  const paid = facts.jobs
    .toSorted((a, b) => a.fundedAt - b.fundedAt || a.block - b.block || (a.jobId < b.jobId ? -1 : 1))
    .map((job) => ({ job, rule: ownRuleOf(job, facts), ...paidBy(job) }));
  const byMoney = removals(paid.filter(({ rule }) => rule === null));
  const judged = paid.map((one): WeighedJob => {
    const { job, rule } = one;
    return { ...job, removed: rule ? { rule, through: null } : byMoney.get(one)! };
  });
  const left = judged.filter(({ removed }) => removed === null);
  const voiceOf = voices(
    facts.jobs.map(({ client }) => client),
    left.map(paidBy).filter(({ cameBack }) => !cameBack),
  );
  const alone = new Set(left.map(({ client }) => voiceOf(client))).size === 1;
  const jobs = judged.map((job) => ({
    ...job,
    removed: job.removed ?? (alone ? { rule: "one_client" as const, through: null } : null),
  }));
  const windows = WINDOWS.map((days) =>
    windowOf(jobs, { days, since: now - days * 86_400, usdc: facts.usdc, voiceOf }),
  );
  return { figures: { rules: JOB_RULES_VERSION, windows }, jobs };
}

/** A job as what its client paid. */
const paidBy = ({ client: payer, units, fundedAt: at, block, state }: WeighableJob): Paid => ({
  payer,
  units: units ?? 0n,
  at,
  block,
  cameBack: state === "rejected" || state === "expired",
});

/**
 * The rule of a job that was not weighed: it is newer than the figures, older than their windows, or beyond the maximum
 * that is weighed.
 */
export function unweighed(...[job, side]: Parameters<typeof ownRuleOf>): Removal<JobRemovedKey> {
  return { rule: ownRuleOf(job, side) ?? "unread", through: null };
}

type VoiceOf = (client: string) => string;

function windowOf(
  jobs: readonly WeighedJob[],
  { days, since, usdc, voiceOf }: { days: number; since: number; usdc: string; voiceOf: VoiceOf },
): JobWindow {
  const within = jobs.filter(({ fundedAt, endedAt }) => fundedAt > since || (endedAt ?? 0) > since);
  const byRule = Map.groupBy(within, ({ removed }) => removed?.rule);
  const sums = (some: readonly WeighedJob[], voiceOf: VoiceOf) => sumsOf(some, { usdc, since, voiceOf });
  return {
    days,
    raw: sums(within, (client) => client),
    organic: sums(byRule.get(undefined) ?? [], voiceOf),
    removed: JOB_REMOVED.flatMap(({ key: rule }) => {
      if (!byRule.has(rule)) return [];
      const { funded, completed, units } = sums(byRule.get(rule)!, voiceOf);
      return [{ rule, funded, completed, units }];
    }),
  };
}

function sumsOf(
  jobs: readonly WeighedJob[],
  { usdc, since, voiceOf }: { usdc: string; since: number; voiceOf: VoiceOf },
): JobSums {
  const ended = jobs.filter(({ endedAt }) => (endedAt ?? 0) > since);
  const of = (state: Job["state"]) => ended.filter((job) => job.state === state);
  const completed = of("completed");
  const evaluators = ended.filter((job) => job.state !== "expired" && evaluationOf(job) === "other");
  return {
    funded: jobs.filter(({ fundedAt }) => fundedAt > since).length,
    completed: completed.length,
    rejected: of("rejected").length,
    expired: of("expired").length,
    units: completed.reduce((sum, { token, units }) => sum + (token === usdc ? (units ?? 0n) : 0n), 0n),
    clients: new Set(jobs.map(({ client }) => voiceOf(client))).size,
    evaluators: new Set(evaluators.map(({ evaluator }) => evaluator)).size,
    evaluatedByClient: completed.filter((job) => evaluationOf(job) === "client").length,
    notEvaluated: completed.filter((job) => evaluationOf(job) === "nobody").length,
  };
}
