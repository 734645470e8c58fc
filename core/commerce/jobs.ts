/**
 * Jobs between agents (ERC-8183, "Agentic Commerce": job escrow with an evaluator): what a contract's logs say, and what they come
 * to, each job with its state.
 * Sources: ethereum/ERCs, ERCS/erc-8183.md, draft of 2026-03-13; erc-8183/base-contracts, contracts/ERC8183.sol at 0310b99d,
 * whose events differ in three places (`uint48 expiredAt`, `ProviderSet` with its actor, `BudgetSet` with a token): both are read.
 */
import { toEventSelector } from "viem/utils";
import type { Address, Hex } from "../agents/facts.ts";

/** What happened to a job. Addresses lower-case, null for the zero address; amounts are decimal strings of the token's units. */
export type JobEvent =
  | { kind: "created"; client: string; provider: string | null; evaluator: string | null; expiresAt: number }
  | { kind: "provider_set"; provider: string | null }
  /** `token`: where each job has its own. */
  | { kind: "budget_set"; token: string | null }
  /** `token`: the contract's only one; null where each job has its own. */
  | { kind: "funded"; units: string; token: string | null }
  | { kind: "submitted" | "completed" | "rejected" | "expired" };

/** Where in the chain something happened. `at`: Unix seconds. */
export type JobPlace = { block: number; logIndex: number; at: number; txHash: string };
/** @param jobId decimal */
export type JobLog = JobPlace & { jobId: string; event: JobEvent };

/** The year 9999 ends: dates have no more. */
const LAST_SECOND = 253_402_300_799n;

const word = (data: string, index: number) => data.slice(2 + 64 * index, 66 + 64 * index);
const addressOf = (of: string): string | null =>
  /^0+$/.test(of.slice(-40)) ? null : `0x${of.slice(-40).toLowerCase()}`;
const secondsOf = (of: string): number => {
  const seconds = BigInt(`0x${of}`);
  return Number(seconds < LAST_SECOND ? seconds : LAST_SECOND);
};

type Found = { topics: readonly string[]; data: string };
/** `topics` and `words`: how many of each the event has, the selector among the topics. */
type Reading = { topics: number; words: number; read(log: Found): JobEvent | null };

const created = ({ topics, data }: Found): JobEvent | null => {
  const client = addressOf(topics[2]!);
  if (client === null) return null;
  const [provider, evaluator] = [addressOf(topics[3]!), addressOf(word(data, 0))];
  return { kind: "created", client, provider, evaluator, expiresAt: secondsOf(word(data, 1)) };
};
const plain = (kind: "submitted" | "completed" | "rejected" | "expired") => () => ({ kind });

const READINGS: Record<string, Reading> = {
  "JobCreated(uint256,address,address,address,uint256,address)": { topics: 4, words: 3, read: created },
  "JobCreated(uint256,address,address,address,uint48,address)": { topics: 4, words: 3, read: created },
  "ProviderSet(uint256,address)": {
    topics: 3,
    words: 0,
    read: ({ topics }) => ({ kind: "provider_set", provider: addressOf(topics[2]!) }),
  },
  "ProviderSet(uint256,address,address,uint256)": {
    topics: 4,
    words: 1,
    read: ({ topics }) => ({ kind: "provider_set", provider: addressOf(topics[3]!) }),
  },
  "BudgetSet(uint256,address,uint256)": {
    topics: 3,
    words: 1,
    read: ({ topics }) => ({ kind: "budget_set", token: addressOf(topics[2]!) }),
  },
  "JobFunded(uint256,address,uint256)": {
    topics: 3,
    words: 1,
    read: ({ data }) => ({ kind: "funded", units: String(BigInt(`0x${word(data, 0)}`)), token: null }),
  },
  "JobSubmitted(uint256,address,bytes32)": { topics: 3, words: 1, read: plain("submitted") },
  "JobCompleted(uint256,address,bytes32)": { topics: 3, words: 1, read: plain("completed") },
  "JobRejected(uint256,address,bytes32)": { topics: 3, words: 1, read: plain("rejected") },
  "JobExpired(uint256)": { topics: 2, words: 0, read: plain("expired") },
};
const BY_SELECTOR = new Map(Object.entries(READINGS).map(([event, reading]) => [toEventSelector(event), reading]));

/** Topic of each event that is read. */
export const JOB_EVENTS: readonly Hex[] = [...BY_SELECTOR.keys()];

/** What a log of the contract says about which job; null for a log of another shape. */
export function jobEventIn(log: {
  address: Address;
  topics: readonly Hex[];
  data: Hex;
}): { jobId: string; event: JobEvent } | null {
  const reading = BY_SELECTOR.get(log.topics[0] ?? "0x");
  if (reading === undefined || log.topics.length !== reading.topics) return null;
  if (log.data.length !== 2 + 64 * reading.words || !/^0x[0-9a-f]*$/i.test(log.data)) return null;
  const event = reading.read(log);
  return event && { jobId: String(BigInt(log.topics[1]!)), event };
}

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
const NEXT: Record<JobState, Partial<Record<JobEvent["kind"], JobState>>> = {
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
