/** A contract of jobs as ERC-8183 has it, in memory: what its state machine allows, and the logs that it writes. */
import { encodeAbiParameters, encodeEventTopics, type Hex, zeroAddress, zeroHash } from "viem";
import { agentCommerceAbi } from "../../../abis/agent-commerce.ts";
import { type JobLog, type JobState, jobEventIn } from "../../../core/commerce/jobs.ts";
import { between, pick } from "../../../harness/random.ts";

export const CONTRACT = `0x${"c0".repeat(20)}` as const;
export const USDC = `0x${"dc".repeat(20)}` as const;
const account = (n: number): Hex => `0x${(0xa0 + n).toString(16).repeat(20)}`;

/** A job as the contract stores it. */
type Held = {
  client: Hex;
  provider: Hex;
  evaluator: Hex;
  budget: bigint;
  /** What is in escrow, or was. */
  funded: bigint | null;
  state: JobState;
};
type EventName = Extract<(typeof agentCommerceAbi)[number], { type: "event" }>["name"];

/** A chain of the contract's calls: each is a block. `jobs` after it, by their ids. */
export type Step = { log: { topics: Hex[]; data: Hex } | null; jobs: ReadonlyMap<string, Held> };

const raw = (eventName: EventName, indexed: object, data: Hex = "0x") => ({
  topics: encodeEventTopics({ abi: agentCommerceAbi, eventName, args: indexed } as never) as Hex[],
  data,
});
const uint = (value: bigint) => encodeAbiParameters([{ type: "uint256" }], [value]);

const CALLS = "provider budget budget fund fund submit submit complete complete complete reject refund".split(" ");

/** One more call by chance: what the contract refuses writes no log. */
export function nextStep(random: () => number, before: ReadonlyMap<string, Held>): Step {
  const jobs = new Map(before);
  const refused = { log: null, jobs: before };
  if (jobs.size === 0 || random() < 0.08) {
    const jobId = BigInt(jobs.size + 1);
    const client = account(between(random, 0, 3));
    const provider = random() < 0.3 ? zeroAddress : account(between(random, 3, 6));
    const evaluator = random() < 0.4 ? client : account(between(random, 5, 8));
    jobs.set(String(jobId), { client, provider, evaluator, budget: 0n, funded: null, state: "open" });
    const data = encodeAbiParameters(
      [{ type: "address" }, { type: "uint256" }, { type: "address" }],
      [evaluator, BigInt(between(random, 1, 2_000_000_000)), zeroAddress],
    );
    return { log: raw("JobCreated", { jobId, client, provider }, data), jobs };
  }
  const id = pick(random, [...jobs.keys()]);
  const jobId = BigInt(id);
  const job = jobs.get(id)!;
  const into = (change: Partial<Held>, log: Step["log"]): Step => ({ log, jobs: jobs.set(id, { ...job, ...change }) });
  const isPaid = job.state === "funded" || job.state === "submitted";
  switch (pick(random, CALLS)) {
    case "provider": {
      const provider = account(between(random, 3, 6));
      if (job.state !== "open" || job.provider !== zeroAddress) return refused;
      return into({ provider }, raw("ProviderSet", { jobId, provider }));
    }
    case "budget": {
      const budget = BigInt(between(random, 0, 5_000));
      return job.state === "open" ? into({ budget }, raw("BudgetSet", { jobId }, uint(budget))) : refused;
    }
    case "fund":
      if (job.state !== "open" || job.budget === 0n || job.provider === zeroAddress) return refused;
      return into(
        { state: "funded", funded: job.budget },
        raw("JobFunded", { jobId, client: job.client }, uint(job.budget)),
      );
    case "submit":
      if (job.state !== "funded") return refused;
      return into({ state: "submitted" }, raw("JobSubmitted", { jobId, provider: job.provider }, zeroHash));
    case "complete":
      if (job.state !== "submitted") return refused;
      return into({ state: "completed" }, raw("JobCompleted", { jobId, evaluator: job.evaluator }, zeroHash));
    case "reject": {
      if (!isPaid && job.state !== "open") return refused;
      const rejector = isPaid ? job.evaluator : job.client;
      return into({ state: "rejected" }, raw("JobRejected", { jobId, rejector }, zeroHash));
    }
    default:
      return isPaid ? into({ state: "expired" }, raw("JobExpired", { jobId })) : refused;
  }
}

/** What the reader of the chain makes of steps, each in a block of its own from block 1 on. */
export const logsOf = (steps: readonly Step[]): JobLog[] =>
  steps.flatMap(({ log }, i) => {
    const found = log && jobEventIn({ address: CONTRACT, ...log });
    if (found?.event.kind === "funded") found.event.token = USDC;
    return found ? [{ ...found, block: i + 1, logIndex: 0, at: 2 * (i + 1), txHash: `0x${i}` }] : [];
  });
