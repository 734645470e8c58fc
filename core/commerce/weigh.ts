/** Raw and organic jobs of an agent side by side: which of those that it was the provider of are somebody else's, and why the others are not. */
import { DUST_UNITS, WINDOWS } from "../income/rules.ts";
import type { Job } from "./jobs.ts";
import { type EvaluationKey, JOB_REMOVED, JOB_RULES_VERSION, type JobRemovedKey } from "./rules.ts";

/** A job as far as figures follow from it. */
export type WeighableJob = Pick<Job, "state" | "client" | "evaluator" | "token" | "units"> & {
  /** Unix seconds. */
  fundedAt: number;
  endedAt: number | null;
};

/** Whose jobs they are: addresses lower-case. */
export type JobSide = {
  wallet: string;
  owner: string | null;
  /** Owners and wallets of the owner's other agents. */
  group: readonly string[];
  /** The token whose worth is known. */
  usdc: string;
};

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
  /** Completed ones that the client itself evaluated, and those that nobody did. */
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
export type JobFigures = {
  rules: number;
  /** Whether all that no other rule removes is of one client. */
  oneClient: boolean;
  windows: JobWindow[];
};

/** Who evaluates a job. */
export const evaluationOf = ({ client, evaluator }: Pick<Job, "client" | "evaluator">): EvaluationKey =>
  evaluator === null ? "nobody" : evaluator === client ? "client" : "other";

/** Why a job is not organic; null where it is. @param oneClient of the agent's figures */
export function removedOf(
  { client, evaluator, token, units }: Pick<WeighableJob, "client" | "evaluator" | "token" | "units">,
  { wallet, owner, group, usdc }: JobSide,
  oneClient: boolean,
): JobRemovedKey | null {
  if (client === wallet || client === owner) return "self";
  if (group.includes(client)) return "own_group";
  if (evaluator !== null && (evaluator === wallet || evaluator === owner || group.includes(evaluator)))
    return "own_evaluator";
  if (token !== usdc) return "other_token";
  if ((units ?? 0n) < DUST_UNITS) return "dust";
  return oneClient ? "one_client" : null;
}

/**
 * Weighs the jobs that an agent was the provider of and that were funded: opening one costs nothing. A function of jobs, side
 * and a clock value; their order does not matter. A job is in a window by when it was funded, its end by when it ended.
 * @param jobs of the longest window @param now Unix seconds
 */
export function weighJobs(jobs: readonly WeighableJob[], side: JobSide, now: number): JobFigures {
  const left = jobs.filter((job) => removedOf(job, side, false) === null);
  const oneClient = new Set(left.map(({ client }) => client)).size === 1;
  const weighed = jobs.map((job) => ({ ...job, removed: removedOf(job, side, oneClient) }));
  const windows = WINDOWS.map((days) => windowOf(weighed, side, { days, since: now - days * 86_400 }));
  return { rules: JOB_RULES_VERSION, oneClient, windows };
}

type Weighed = WeighableJob & { removed: JobRemovedKey | null };

function windowOf(
  jobs: readonly Weighed[],
  side: JobSide,
  { days, since }: { days: number; since: number },
): JobWindow {
  const within = jobs.filter(({ fundedAt, endedAt }) => fundedAt > since || (endedAt ?? 0) > since);
  const byRule = Map.groupBy(within, ({ removed }) => removed);
  const sums = (some: readonly Weighed[]) => sumsOf(some, side, since);
  return {
    ...{ days, raw: sums(within), organic: sums(byRule.get(null) ?? []) },
    removed: JOB_REMOVED.flatMap(({ key: rule }) => {
      if (!byRule.has(rule)) return [];
      const { funded, completed, units } = sums(byRule.get(rule)!);
      return [{ rule, funded, completed, units }];
    }),
  };
}

function sumsOf(jobs: readonly Weighed[], { usdc }: JobSide, since: number): JobSums {
  const ended = jobs.filter(({ endedAt }) => (endedAt ?? 0) > since);
  const of = (state: Job["state"]) => ended.filter((job) => job.state === state);
  const completed = of("completed");
  const evaluators = ended.filter((job) => job.state !== "expired" && evaluationOf(job) === "other");
  return {
    funded: jobs.filter(({ fundedAt }) => fundedAt > since).length,
    ...{ completed: completed.length, rejected: of("rejected").length, expired: of("expired").length },
    units: completed.reduce((sum, { token, units }) => sum + (token === usdc ? (units ?? 0n) : 0n), 0n),
    clients: new Set(jobs.map(({ client }) => client)).size,
    evaluators: new Set(evaluators.map(({ evaluator }) => evaluator)).size,
    evaluatedByClient: completed.filter((job) => evaluationOf(job) === "client").length,
    notEvaluated: completed.filter((job) => evaluationOf(job) === "nobody").length,
  };
}
