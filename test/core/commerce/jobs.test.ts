/** Jobs of their logs: the states of the contract after each call and each reorganisation, whatever the order, and hostile logs move nothing back. */
import fc from "fast-check";
import { encodeAbiParameters, encodeEventTopics, type Hex, parseAbi, zeroAddress, zeroHash } from "viem";
import { describe, expect, it } from "vitest";
import {
  JOB_EVENTS,
  JOB_STATES,
  type Job,
  type JobEvent,
  type JobLog,
  jobEventIn,
  jobOf,
  jobsOf,
} from "../../../core/commerce/jobs.ts";
import { randomOf } from "../../../harness/random.ts";
import { forAll } from "../../support/for-all.ts";
import { CONTRACT, logsOf, nextStep, type Step, USDC } from "./world.ts";

/** What the contract stores and what the logs say, in one form. */
const stored = (jobs: Step["jobs"]) =>
  new Map(
    [...jobs].map(([id, { client, provider, evaluator, funded, state }]) => [
      id,
      { ...{ client, evaluator, state, units: funded }, provider: provider === zeroAddress ? null : provider },
    ]),
  );
const told = (jobs: ReadonlyMap<string, Job>) =>
  new Map(
    [...jobs].map(([id, { client, provider, evaluator, units, state }]) => [
      id,
      { client, evaluator, state, units, provider },
    ]),
  );
const history = (random: () => number, steps: Step[], length: number) => {
  for (let n = 0; n < length; n++) steps.push(nextStep(random, steps.at(-1)?.jobs ?? new Map()));
  return steps;
};
const shuffled = <T>(random: () => number, all: readonly T[]): T[] =>
  all
    .map((one) => [random(), one] as const)
    .sort(([a], [b]) => a - b)
    .map(([, one]) => one);

describe("jobs of random histories", () => {
  it("are the contract's after every call, in whatever order their logs are given", () => {
    const states = new Set<string>();
    forAll([fc.integer()], { numRuns: 40 }, (seed) => {
      const random = randomOf(seed);
      const steps = history(random, [], 120);
      for (let end = 1; end <= steps.length; end++) {
        const jobs = jobsOf(shuffled(random, logsOf(steps.slice(0, end))));
        expect(told(jobs)).toEqual(stored(steps[end - 1]!.jobs));
      }
      for (const { state } of steps.at(-1)!.jobs.values()) states.add(state);
    });
    expect(states).toEqual(new Set(JOB_STATES));
  });

  it("are the contract's after a reorganisation of any depth", () =>
    forAll([fc.integer(), fc.nat(100), fc.nat(60)], (seed, depth, more) => {
      const random = randomOf(seed);
      const before = history(random, [], 100);
      const after = history(random, before.slice(0, 100 - depth), more);
      expect(told(jobsOf(logsOf(after)))).toEqual(stored(after.at(-1)?.jobs ?? new Map()));
    }));

  it("know when and where each was funded, handed in and ended", () => {
    const jobs = [...jobsOf(logsOf(history(randomOf(5), [], 2_000))).values()];
    expect(jobs.filter(({ state }) => state === "completed").length).toBeGreaterThan(5);
    for (const { state, funded, submitted, ended, token } of jobs) {
      expect([state, ended !== null]).toEqual([state, ["completed", "rejected", "expired"].includes(state)]);
      if (state === "completed") expect(funded!.block < submitted!.block && submitted!.block < ended!.block).toBe(true);
      expect(token).toBe(funded && USDC);
    }
  });
});

it("no logs of any kind in any order take a final state back, or make a job of none", () => {
  const address = fc.constantFrom(null, "0xa", "0xb");
  const event: fc.Arbitrary<JobEvent> = fc.oneof(
    fc.record({
      ...{ kind: fc.constant("created" as const), client: fc.constantFrom("0xa", "0xb"), provider: address },
      ...{ evaluator: address, expiresAt: fc.nat() },
    }),
    fc.record({ kind: fc.constant("provider_set" as const), provider: address }),
    fc.record({ kind: fc.constant("budget_set" as const), token: address }),
    fc.record({ kind: fc.constant("funded" as const), units: fc.nat().map(String), token: address }),
    fc.record({ kind: fc.constantFrom("submitted" as const, "completed" as const, "rejected", "expired") }),
  );
  forAll([fc.array(event, { maxLength: 12 })], (events) => {
    const logs = events.map(
      (one, i): JobLog => ({ jobId: "1", event: one, block: i, logIndex: 0, at: i, txHash: `0x${i}` }),
    );
    let before: Job | null = null;
    for (let end = 0; end <= logs.length; end++) {
      const job = jobOf(logs.slice(0, end));
      expect(job === null).toBe(events[0]?.kind !== "created" || end === 0);
      if (before?.ended) expect(job).toEqual(before);
      if (before?.funded) expect(job).toMatchObject({ client: before.client, units: before.units });
      before = job;
    }
  });
});

describe("a log", () => {
  const later = parseAbi([
    "event JobCreated(uint256 indexed jobId, address indexed client, address indexed provider, address evaluator, uint48 expiredAt, address hook)",
    "event ProviderSet(uint256 indexed jobId, address indexed actor, address indexed provider, uint256 agentId)",
    "event BudgetSet(uint256 indexed jobId, address indexed token, uint256 amount)",
  ]);
  const [client, provider]: Hex[] = [`0x${"a1".repeat(20)}`, `0x${"b1".repeat(20)}`];
  const topics = (eventName: "JobCreated" | "ProviderSet" | "BudgetSet", args: object) =>
    encodeEventTopics({ abi: later, eventName, args } as never) as Hex[];

  it("of the later interface is read as well, with a token for each job", () => {
    const jobId = 2n ** 255n;
    const logs = [
      {
        topics: topics("JobCreated", { jobId, client, provider: zeroAddress }),
        data: encodeAbiParameters(
          [{ type: "address" }, { type: "uint48" }, { type: "address" }],
          [client!, 2 ** 48 - 1, zeroAddress],
        ),
      },
      {
        topics: topics("ProviderSet", { jobId, actor: client, provider }),
        data: encodeAbiParameters([{ type: "uint256" }], [7n]),
      },
      {
        topics: topics("BudgetSet", { jobId, token: USDC }),
        data: encodeAbiParameters([{ type: "uint256" }], [9n]),
      },
    ].map(({ topics, data }, i): JobLog => {
      const { jobId: id, event } = jobEventIn({ address: CONTRACT, topics, data })!;
      return { jobId: id, event, block: i, logIndex: 0, at: i, txHash: "0x" };
    });
    const funded: JobLog = { ...logs[2]!, block: 9, event: { kind: "funded", units: "9", token: null } };
    expect(jobOf([...logs, funded])).toMatchObject({
      ...{ jobId: String(jobId), client, provider, evaluator: client, token: USDC, units: 9n },
      // The last moment that a date can say.
      expiresAt: 253_402_300_799,
    });
  });

  it("of another shape is none", () => {
    const [selector] = JOB_EVENTS.slice(-1);
    const one = (topics: Hex[], data: Hex = "0x") => jobEventIn({ address: CONTRACT, topics, data });
    expect(one([selector!, zeroHash])).toEqual({ jobId: "0", event: { kind: "expired" } });
    for (const topics of [[], [selector!], [selector!, zeroHash, zeroHash], [zeroHash, zeroHash]])
      expect(one(topics)).toBe(null);
    for (const data of ["0x00", zeroHash] as const) expect(one([selector!, zeroHash], data)).toBe(null);
  });
});
