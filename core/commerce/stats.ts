/** Raw and organic jobs of which an agent was the provider: which were ordered by others than its own side, and why the rest does not count. */
import { type ClusterOf, type Judged, judge, type Totals, type Window, windowsOf } from "../income/evidence.ts";
import type { MoneyFacts } from "../income/facts.ts";
import type { Paid, Removal } from "../income/money.ts";
import { DUST_UNITS } from "../income/rules.ts";
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
export type WeighedJob = Judged<WeighableJob, JobRemovedKey>;

/** `units`: value of the completed ones in units of USDC. The others are in words in the view (core/income/view.ts). */
type JobSums = ReturnType<typeof sumsOf>;
type RemovedJobs = Pick<JobSums, "funded" | "completed" | "units">;
/** Of what is not weighed, `client` and `evaluator` are of the agent's side, or empty and null. */
type JobsLike = OwnRuleOf & { isDust: boolean };
export type JobStats = { rules: number; windows: Window<JobSums, RemovedJobs, JobRemovedKey>[] };

/** Who evaluates a job. */
export const evaluationOf = ({ client, evaluator }: Pick<Job, "client" | "evaluator">): EvaluationKey =>
  evaluator === null ? "nobody" : evaluator === client ? "client" : "other";

type OwnRuleOf = Pick<WeighableJob, "client" | "evaluator" | "token">;
type Side = Pick<JobFacts, "wallet" | "owner" | "group" | "usdc">;

/** The rule that applies to a job without what is known of its client's money; null for none. */
function ownRuleOf(
  { client, evaluator, token }: OwnRuleOf,
  { wallet, owner, group, usdc }: Side,
  isDust: boolean,
): JobRemovedKey | null {
  const isOurs = (address: string) => address === wallet || address === owner || group.includes(address);
  if (client === wallet || client === owner) return "self";
  if (isOurs(client)) return "own_group";
  if (evaluator !== null && isOurs(evaluator)) return "own_evaluator";
  if (token !== usdc) return "other_token";
  return isDust ? "dust" : null;
}
const isDust = ({ units }: Pick<WeighableJob, "units">) => (units ?? 0n) < DUST_UNITS;

/**
 * Weighs the jobs that an agent was the provider of and that were funded: opening one costs nothing. A function of the facts
 * and a clock value; their order does not matter. A job is in a window by when it was funded, its end by when it ended.
 *
 * A client's money is judged as a payer's (core/income/money.ts): what the escrow gave back was not paid.
 * @param now Unix seconds @param totals of all jobs, at the same `now`; absent where the facts have all
 */
export function computeJobs(
  facts: JobFacts,
  now: number,
  totals?: Totals<JobSums, RemovedJobs, JobsLike>,
): { figures: JobStats; jobs: WeighedJob[] } {
  const inOrder = facts.jobs.toSorted(
    (a, b) => a.fundedAt - b.fundedAt || a.block - b.block || (a.jobId < b.jobId ? -1 : 1),
  );
  const { judged, clusterOf } = judge(facts, inOrder, {
    paid: paidBy,
    own: (job) => ownRuleOf(job, facts, isDust(job)),
    alone: "one_client",
  });
  const windows = windowsOf(judged, {
    ...{ now, rules: JOB_REMOVED, clusterOf, totals },
    isIn: ({ fundedAt, endedAt }, since) => fundedAt > since || (endedAt ?? 0) > since,
    sums: (jobs, since, clusterOf) => sumsOf(jobs, { usdc: facts.usdc, since, clusterOf }),
    removed: ({ funded, completed, units }): RemovedJobs => ({ funded, completed, units }),
    unweighed: (like: JobsLike) => ownRuleOf(like, facts, like.isDust) ?? "beyond",
  });
  return { figures: { rules: JOB_RULES_VERSION, windows }, jobs: judged };
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
 * The rule of a job that was not weighed.
 * @param left the rule of those that have none of their own: `unread` of one that is newer than the figures or older than their
 *   windows, `beyond` of one beyond the maximum that is weighed
 */
export const unweighed = (
  job: OwnRuleOf & Pick<WeighableJob, "units">,
  side: Side,
  left: "unread" | "beyond" = "unread",
): Removal<JobRemovedKey> => ({ rule: ownRuleOf(job, side, isDust(job)) ?? left, through: null });

function sumsOf(
  jobs: readonly WeighedJob[],
  { usdc, since, clusterOf }: { usdc: string; since: number; clusterOf: ClusterOf },
) {
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
    clients: new Set(jobs.map(({ client }) => clusterOf(client))).size,
    evaluators: new Set(evaluators.map(({ evaluator }) => evaluator)).size,
    evaluatedByClient: completed.filter((job) => evaluationOf(job) === "client").length,
    notEvaluated: completed.filter((job) => evaluationOf(job) === "nobody").length,
  };
}
