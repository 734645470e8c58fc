/** Raw and organic jobs: what the agent's own side orders or judges counts nothing, each removed job names its rule, and who evaluates is told. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { JOB_REMOVED } from "../../../core/commerce/rules.ts";
import { type JobSide, removedOf, type WeighableJob, weighJobs } from "../../../core/commerce/weigh.ts";
import { USDC } from "./world.ts";

const DAY = 86_400;
const NOW = 1_790_000_000;
const SIDE: JobSide = { wallet: "0xagent", owner: "0xowner", group: ["0xsister"], usdc: USDC };
const job = (over: Partial<WeighableJob> & { daysAgo?: number } = {}): WeighableJob => {
  const { daysAgo = 1, ...given } = over;
  const at = NOW - daysAgo * DAY;
  return {
    ...{ state: "completed", client: "0xalice", evaluator: "0xjudge", token: USDC, units: 5_000_000n },
    ...{ fundedAt: at, endedAt: at + 60, ...given },
  };
};
const quarter = (jobs: WeighableJob[]) => weighJobs(jobs, SIDE, NOW).windows.at(-1)!;
const HONEST = [job(), job({ client: "0xbob" })];

describe("a job", () => {
  const cases: [rule: string, over: Partial<WeighableJob>][] = [
    ["self", { client: "0xagent" }],
    ["self", { client: "0xowner", evaluator: "0xowner" }],
    ["own_group", { client: "0xsister" }],
    ["own_evaluator", { evaluator: "0xagent" }],
    ["own_evaluator", { evaluator: "0xowner" }],
    ["own_evaluator", { evaluator: "0xsister" }],
    ["other_token", { token: "0xjunk" }],
    ["other_token", { token: null }],
    ["dust", { units: 999n }],
    ["dust", { units: 0n }],
  ];
  it.each(cases.map(([rule, over]) => ({ rule, over })))("is removed as $rule", ({ rule, over }) => {
    expect(removedOf(job(over), SIDE, false)).toBe(rule);
    const { raw, organic, removed } = quarter([...HONEST, job(over)]);
    expect(organic).toMatchObject({ funded: 2, completed: 2, units: 10_000_000n, clients: 2 });
    expect(raw).toMatchObject({ funded: 3, completed: 3 });
    expect(removed.map((one) => one.rule)).toEqual([rule]);
  });

  it("of the only client counts once there is a second", () => {
    const alone = weighJobs([job(), job({ daysAgo: 3 }), job({ client: "0xowner" })], SIDE, NOW);
    expect(alone).toMatchObject({ oneClient: true });
    expect(alone.windows[0]).toMatchObject({
      organic: { funded: 0 },
      removed: [{ rule: "self" }, { rule: "one_client" }],
    });
    expect(quarter([job(), job({ client: "0xbob", state: "funded", endedAt: null })])).toMatchObject({
      organic: { funded: 2, completed: 1, clients: 2 },
      removed: [],
    });
  });

  it("stays whoever its client has evaluate, which is told", () => {
    const { organic } = quarter([
      job({ evaluator: "0xalice" }),
      job({ evaluator: null, client: "0xbob" }),
      job({ client: "0xcarol", state: "rejected" }),
      job({ client: "0xcarol", state: "expired", evaluator: "0xother" }),
    ]);
    expect(organic).toEqual({
      ...{ funded: 4, completed: 2, rejected: 1, expired: 1, units: 10_000_000n, clients: 3 },
      // Who let the time run out has evaluated nothing.
      ...{ evaluators: 1, evaluatedByClient: 1, notEvaluated: 1 },
    });
  });

  it("is in the windows of its funding and of its end", () => {
    const jobs = [
      job({ daysAgo: 80 }),
      job({ daysAgo: 20, client: "0xbob" }),
      job({ daysAgo: 80, endedAt: NOW - 2 * DAY, client: "0xcarol" }),
    ];
    const { windows } = weighJobs(jobs, SIDE, NOW);
    expect(windows.map(({ days, raw }) => [days, raw.funded, raw.completed, raw.clients])).toEqual([
      [7, 0, 1, 1],
      [30, 1, 2, 2],
      [90, 3, 3, 3],
    ]);
  });
});

it("no order of jobs matters, and raw is organic and removed", () => {
  const account = fc.constantFrom("0xagent", "0xowner", "0xsister", "0xalice", "0xbob", "0xcarol");
  const one = fc
    .record({
      ...{ client: account, evaluator: fc.option(account), token: fc.constantFrom(USDC, "0xjunk", null) },
      state: fc.constantFrom("funded" as const, "submitted" as const, "completed" as const, "rejected" as const),
      ...{ units: fc.bigInt({ min: 0n, max: 4_000n }), daysAgo: fc.integer({ min: 0, max: 100 }) },
      lasts: fc.integer({ min: 0, max: 20 * DAY }),
    })
    .map(({ lasts, ...given }) => {
      const made = job(given);
      return { ...made, endedAt: ["completed", "rejected"].includes(made.state) ? made.fundedAt + lasts : null };
    });
  fc.assert(
    fc.property(fc.array(one), (jobs) => {
      const { windows } = weighJobs(jobs, SIDE, NOW);
      expect(weighJobs(jobs.toReversed(), SIDE, NOW).windows).toEqual(windows);
      for (const { raw, organic, removed } of windows) {
        const left = (key: "funded" | "completed") => removed.reduce((sum, rule) => sum + rule[key], organic[key]);
        expect([left("funded"), left("completed")]).toEqual([raw.funded, raw.completed]);
        expect(removed.reduce((sum, { units }) => sum + units, organic.units)).toBe(raw.units);
        expect(organic.clients).toBeLessThanOrEqual(raw.clients);
        const order = JOB_REMOVED.map(({ key }) => key as string);
        expect(removed.map(({ rule }) => order.indexOf(rule))).toEqual(
          removed.map(({ rule }) => order.indexOf(rule)).sort((a, b) => a - b),
        );
      }
    }),
  );
});
