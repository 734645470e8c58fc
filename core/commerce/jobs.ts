/** What the logs of a contract of jobs come to: each job with its state. */
import type { JobEventKind, JobLog, JobPlace } from "./job-logs.ts";

/** As ERC-8183 names them. The last three are final. */
export const JOB_STATES = ["open", "funded", "submitted", "completed", "rejected", "expired"] as const;
export type JobState = (typeof JOB_STATES)[number];

export type Job = {
  /** Decimal. */
  jobId: string;
  state: JobState;
  client: string;
  provider: string | null;
  /** Null where the job has no evaluator: the draft forbids it, some contracts allow it, and a submission completes the job. */
  evaluator: string | null;
  /** Of the escrow; null before it is funded, and where no log names it. */
  token: string | null;
  /** What was put in escrow; null before. */
  units: bigint | null;
  expiresAt: number;
  funded: JobPlace | null;
  submitted: JobPlace | null;
  /** When it was completed, rejected or expired. */
  ended: JobPlace | null;
};

/**
 * Which state follows from which, by what happens. Completion straight from `funded` is not in the draft: contracts that complete
 * by other ways than `submit` log it so. Nothing happens to a final state.
 */
const NEXT: Record<JobState, Partial<Record<JobEventKind, JobState>>> = {
  open: { funded: "funded", submitted: "submitted", rejected: "rejected" },
  funded: { submitted: "submitted", completed: "completed", rejected: "rejected", expired: "expired" },
  submitted: { completed: "completed", rejected: "rejected", expired: "expired" },
  completed: {},
  rejected: {},
  expired: {},
};

const inOrder = (a: JobPlace, b: JobPlace) => a.block - b.block || a.logIndex - b.logIndex;

/**
 * Makes a job from its logs, which may be in any order. A log that the state does not allow is left out.
 * @returns null where its creation is not among them: then its client and provider are not known
 */
export function jobOf(logs: readonly JobLog[]): Job | null {
  const [first, ...later] = logs.toSorted(inOrder);
  if (first?.event.kind !== "created") return null;
  const { client, provider, evaluator, expiresAt } = first.event;
  const job: Job = {
    jobId: first.jobId,
    state: "open",
    client,
    provider,
    evaluator,
    token: null,
    units: null,
    expiresAt,
    funded: null,
    submitted: null,
    ended: null,
  };
  let token: string | null = null;
  for (const { event, block, logIndex, at, txHash } of later) {
    const place = { block, logIndex, at, txHash };
    if (job.state === "open" && event.kind === "provider_set") job.provider ??= event.provider;
    if (job.state === "open" && event.kind === "budget_set") token = event.token;
    const next = NEXT[job.state][event.kind];
    if (next === undefined) continue;
    job.state = next;
    if (event.kind === "funded") {
      job.funded = place;
      job.units = BigInt(event.units);
      job.token = token ?? event.token;
    } else if (next === "submitted") job.submitted = place;
    else job.ended = place;
  }
  return job;
}

/** The jobs of some logs, by their ids. */
export function jobsOf(logs: readonly JobLog[]): Map<string, Job> {
  const jobs = new Map<string, Job>();
  for (const [jobId, own] of Map.groupBy(logs, (log) => log.jobId)) {
    const job = jobOf(own);
    if (job !== null) jobs.set(jobId, job);
  }
  return jobs;
}
