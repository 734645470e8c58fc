/** Raw and organic jobs: what the agent's own side orders or judges counts nothing, each removed job names its rule, and who evaluates is told. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { JOB_REMOVED } from "../../../core/commerce/rules.ts";
import { computeJobs, type JobFacts, unweighed, type WeighableJob } from "../../../core/commerce/stats.ts";
import type { Funding } from "../../../core/income/facts.ts";
import { forAll } from "../../support/for-all.ts";
import { USDC } from "./world.ts";

const DAY = 86_400;
const NOW = 1_790_000_000;
const SIDE = { wallet: "0xagent", owner: "0xowner", group: ["0xsister"], usdc: USDC };
const CLIENTS = ["0xalice", "0xbob", "0xcarol"];
/** What is known where nobody gave anybody money; all of it is read. */
const MONEY = {
  ...{ elsewhere: [], funding: [], sent: new Map(), accounts: new Map(), former: new Map() },
  near: { given: [], put: [], routes: new Map(), partly: new Set<string>() },
  read: new Map(CLIENTS.map((client) => [client, NOW])),
};
const job = (over: Partial<WeighableJob> & { daysAgo?: number } = {}): WeighableJob => {
  const { daysAgo = 1, ...given } = over;
  const at = NOW - daysAgo * DAY;
  return {
    ...{ state: "completed", client: "0xalice", evaluator: "0xjudge", token: USDC, units: 5_000_000n },
    ...{ jobId: String(++made), block: at, fundedAt: at, endedAt: at + 60, ...given },
  };
};
let made = 0;
const weigh = (jobs: WeighableJob[], money: Partial<JobFacts> = {}) =>
  computeJobs({ ...SIDE, ...MONEY, ...money, jobs }, NOW);
const quarter = (jobs: WeighableJob[], money: Partial<JobFacts> = {}) => weigh(jobs, money).figures.windows.at(-1)!;
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
    expect(unweighed(job(over), SIDE)).toEqual({ rule, through: null });
    const { raw, organic, removed } = quarter([...HONEST, job(over)]);
    expect(organic).toMatchObject({ funded: 2, completed: 2, units: 10_000_000n, clients: 2 });
    expect(raw).toMatchObject({ funded: 3, completed: 3 });
    expect(removed.map((one) => one.rule)).toEqual([rule]);
  });

  it("of the only client counts once there is a second", () => {
    const alone = weigh([job(), job({ daysAgo: 3 }), job({ client: "0xowner" })]);
    expect(alone.figures.windows[0]).toMatchObject({
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
    const { windows } = weigh(jobs).figures;
    expect(windows.map(({ days, raw }) => [days, raw.funded, raw.completed, raw.clients])).toEqual([
      [7, 0, 1, 1],
      [30, 1, 2, 2],
      [90, 3, 3, 3],
    ]);
  });
});

describe("a job is removed by its client's money, as a payment by its payer's", () => {
  const move = (source: string, payer: string, units: bigint, daysAgo: number): Funding => ({
    ...{ source, payer, units, at: NOW - daysAgo * DAY },
  });
  const removedOf = (jobs: WeighableJob[], money: Partial<JobFacts>) =>
    new Map(weigh([...HONEST, ...jobs], money).jobs.map(({ jobId, removed }) => [jobId, removed]));
  const hers = job({ client: "0xcarol", daysAgo: 5 });
  const ofHers = (money: Partial<JobFacts>) => removedOf([hers], money).get(hers.jobId);

  it("that came from the agent's side before, or went there afterwards", () => {
    for (const source of ["0xagent", "0xowner"]) {
      const of = (units: bigint, days: number) => ofHers({ funding: [move(source, "0xcarol", units, days)] });
      expect(of(2_500_000n, 6)).toEqual({ rule: "self_funded", through: null });
      expect(of(2_500_000n, 4)).toEqual({ rule: "circular", through: null });
      expect(of(10_000n, 6)).toBe(null);
    }
    for (const source of ["0xelse", "0xsister"])
      expect(ofHers({ funding: [move(source, "0xcarol", 10_000n, 6)] })).toBe(null);
    const through = "0xsister";
    expect(ofHers({ funding: [move(through, "0xcarol", 2_500_000n, 6)] })).toEqual({ rule: "self_funded", through });
  });

  it("that came through one account, from half of what the client paid on; public accounts connect nobody", () => {
    const via = {
      sent: new Map([["0xvia", { at: NOW - 8 * DAY, units: 2_500_000n }]]),
      funding: [move("0xvia", "0xcarol", 2_500_000n, 6)],
    };
    expect(ofHers({ ...via, accounts: new Map([["0xvia", 40]]) })).toEqual({ rule: "self_funded", through: "0xvia" });
    expect(ofHers(via)).toEqual({ rule: "unread", through: null });
    for (const sent of [null, 2_000_000]) expect(ofHers({ ...via, accounts: new Map([["0xvia", sent]]) })).toBe(null);
    const little = { ...via, funding: [move("0xvia", "0xcarol", 2_499_999n, 6)], accounts: new Map([["0xvia", 40]]) };
    expect(ofHers(little)).toBe(null);
    // What the escrow gave back was not paid; where nothing else is, it is all that there is to compare with.
    const back = job({ client: "0xcarol", state: "expired", daysAgo: 5, units: 90_000_000n });
    const all = { ...via, accounts: new Map([["0xvia", 40]]) };
    expect([...removedOf([hers, back], all).values()].filter((one) => one?.rule === "self_funded")).toHaveLength(2);
    expect(removedOf([back], all).get(back.jobId)).toBe(null);
  });

  it("that was given back, once for each job; what the escrow gave back was not given by the agent", () => {
    const twice = [hers, job({ client: "0xcarol", daysAgo: 4 })];
    const given = { funding: [move("0xagent", "0xcarol", 5_000_000n, 3)] };
    expect(twice.map(({ jobId }) => removedOf(twice, given).get(jobId)?.rule ?? null)).toEqual([null, "refunded"]);
    const rejected = job({ client: "0xcarol", daysAgo: 4, state: "rejected" });
    const judged = removedOf([hers, rejected], given);
    expect([hers, rejected].map(({ jobId }) => judged.get(jobId)?.rule ?? null)).toEqual(["refunded", null]);
    // A payment beside the job is what was given back.
    const beside = { ...given, elsewhere: [{ payer: "0xcarol", units: 5_000_000n, at: NOW - 3.5 * DAY }] };
    expect(ofHers(beside)).toBe(null);
  });

  it("that is not read up to the job: not followed, or behind", () => {
    const { block } = hers;
    const readTo = (to: number) => ofHers({ read: new Map([...MONEY.read, ["0xcarol", to]]) })?.rule ?? null;
    expect([readTo(block - 1), readTo(block)]).toEqual(["unread", null]);
    expect(ofHers({ read: new Map() })).toEqual({ rule: "unread", through: null });
    expect(quarter(HONEST, { read: new Map() })).toMatchObject({
      ...{ organic: { funded: 0, clients: 0 }, removed: [{ rule: "unread", funded: 2 }] },
    });
    expect(unweighed(hers, SIDE)).toEqual({ rule: "unread", through: null });
  });

  it("whose source is one for all of them, as that of one client", () => {
    const one = CLIENTS.map((client) => move("0xtreasury", client, 6_000_000n, 9));
    expect(quarter([...HONEST, hers], { funding: one })).toMatchObject({
      ...{ organic: { funded: 0 }, removed: [{ rule: "one_client", funded: 3 }] },
    });
    expect(quarter([...HONEST, hers], { funding: one.slice(1) }).organic).toMatchObject({ funded: 3, clients: 2 });
    // A cent to each is not what they paid, whoever sends it; what the escrow gave back was not paid.
    const cents = CLIENTS.map((client) => move("0xrival", client, 10_000n, 9));
    expect(quarter([...HONEST, hers], { funding: cents }).organic).toMatchObject({ funded: 3, clients: 3 });
    const back = CLIENTS.map((client) => job({ client, state: "rejected", units: 90_000_000n }));
    expect(quarter([...HONEST, hers, ...back], { funding: one }).organic.funded).toBe(0);
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
  const transfer = fc.record({
    ...{ source: fc.constantFrom("0xagent", "0xvia", "0xelse", "0xbob"), payer: fc.constantFrom(...CLIENTS) },
    ...{ units: fc.bigInt({ min: 1_000n, max: 4_000n }), at: fc.integer({ min: NOW - 90 * DAY, max: NOW }) },
  });
  forAll([fc.array(one), fc.array(transfer)], (jobs, funding) => {
    const money = {
      funding,
      sent: new Map([["0xvia", { at: NOW - 50 * DAY, units: 10n ** 12n }]]),
      accounts: new Map([["0xvia", 3]]),
    };
    const { windows } = weigh(jobs, money).figures;
    const turned = { ...money, funding: funding.toReversed() };
    expect(weigh(jobs.toReversed(), turned).figures.windows).toEqual(windows);
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
  });
});
