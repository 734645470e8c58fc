/** Agents' jobs, read from a real chain: what is stored equals the contract through reorganisations, nodes with limits and restarts, and figures follow. */
import { beforeEach, describe, expect, it } from "vitest";
import type { Chain } from "../../clients/ports.ts";
import { fail } from "../../core/errors.ts";
import { MAX_PAYERS } from "../../core/income/rules.ts";
import { jobFacts } from "../../db/commerce/job-stats.ts";
import { chainAt } from "../../harness/chain-at.ts";
import { between, pick, randomOf } from "../../harness/random.ts";
import { startStrictNode } from "../../harness/strict-node/strict-node.ts";
import { rangeRequests } from "../../scripts/backfill/estimate.ts";
import { commerce } from "../../workers/commerce/commerce.ts";
import { jobStats } from "../../workers/income/recompute-due.ts";
import { JOBS } from "../../workers/jobs.ts";
import { testDatabase } from "../support/database.ts";
import { endedPerTest, perFile, perTest } from "../support/started.ts";
import { commerceJobs, jobsStoredAndTrue, startCommerceWorld } from "./support/commerce.ts";
import { counted, gone, plantOwnAgent, quiet, statsOf, withoutTimes } from "./support/income.ts";

const world = perFile(startCommerceWorld);
const db = perTest(() => testDatabase({ indexed: true }));
const ended = endedPerTest();
let jobs: ReturnType<typeof commerceJobs>;
let perDay: number;
let chain: Chain | null;
/** The chain goes on from test to test: each reads from here on. */
let startBlock: number;
let address: string | undefined;
const at = (n: number) => world.at(n);

beforeEach(async () => {
  [perDay, chain, address] = [100_000_000, null, world.contract];
  startBlock = Number(await world.evm.getBlockNumber()) + 1;
  jobs = commerceJobs(db, world, {
    perDay: () => perDay,
    chain: () => chain ?? world.chain,
    contract: () => (address ? { address, startBlock } : undefined),
  });
});

const equalsChain = async () => {
  const { stored, truth } = await jobsStoredAndTrue(db, world, startBlock);
  expect(stored).toEqual(truth);
  return stored.jobs;
};
const figures = (id: number) => statsOf(db, "commerce", id);
const rows = (query: string) => db.rows(query);
const readAndWeigh = async () => {
  await jobs.read();
  await jobs.readMoney();
  await jobs.recompute();
};
const [AGENT, OWNER, ALICE, BOB, JUDGE, OTHER, SECOND, BETWEEN, FAR] = [1, 2, 3, 4, 5, 6, 7, 8, 9];

describe("the jobs", () => {
  it("are read in every state, and tell raw from organic", async () => {
    expect(JOBS).toEqual(expect.arrayContaining([commerce, jobStats]));
    await jobs.plantAgent(31, at(AGENT), at(OWNER));
    await jobs.plantAgent(32, at(OTHER), null);
    await world.work(ALICE, AGENT, { evaluator: JUDGE });
    await world.work(BOB, AGENT, { units: 20_000 });
    await world.work(OWNER, AGENT, { units: 900_000 });
    await world.open(ALICE, AGENT, {});
    await world.fund(BOB, await world.open(BOB, AGENT, {}));
    const rejected = await world.open(ALICE, AGENT, { evaluator: JUDGE });
    await world.fund(ALICE, rejected);
    await world.judge(JUDGE, rejected, "reject");
    const unopened = await world.open(ALICE, AGENT, {});
    await world.judge(ALICE, unopened, "reject");
    const late = await world.open(ALICE, AGENT, { lasts: 5_000 });
    await world.fund(ALICE, late);
    await world.submit(AGENT, late);
    await world.pass(5_001);
    await world.call(BOB, "claimRefund", late);
    expect(await jobs.read()).toBeGreaterThan(20);
    const states = new Set((await equalsChain()).map(({ state }) => state));
    expect(states).toEqual(new Set(["completed", "funded", "rejected", "expired"]));
    await jobs.readMoney();
    expect(await jobs.recompute()).toBe(1);
    const counts = { funded: 5, rejected: 1, expired: 1, clients: 2, evaluators: 1, evaluatedByClient: 1 };
    expect(await figures(31)).toEqual({
      days: 90,
      raw: { ...counts, funded: 6, completed: 3, units: "970000", clients: 3, evaluatedByClient: 2, notEvaluated: 0 },
      organic: { ...counts, completed: 2, units: "70000", notEvaluated: 0 },
      removed: [{ rule: "self", funded: 1, completed: 1, units: "900000" }],
    });
    expect(await figures(32)).toBe(null);
    // Nothing new: nothing is stored, nothing weighed.
    expect([await jobs.read(), await jobs.recompute()]).toEqual([0, 0]);
    await jobs.plantAgent(31, null, at(OWNER));
    await jobs.recompute();
    expect(await figures(31)).toBe(null);
  });

  it("of a client whose money is the agent's are not organic, whoever the client says that it is", async () => {
    await jobs.plantAgent(31, at(AGENT), at(OWNER));
    await jobs.plantAgent(32, at(OTHER), null);
    for (const client of [ALICE, BOB]) await world.work(client, AGENT);
    // A second wallet of the owner, and one that the agent gave money afterwards.
    await world.send(OWNER, SECOND, 61_000);
    await world.pass(10);
    await world.work(SECOND, AGENT, { units: 60_000 });
    await world.work(JUDGE, AGENT, { units: 70_000 });
    await world.pass(10);
    await world.send(AGENT, JUDGE, 65_000);
    // One that had it through an account between, in a job of its own.
    await world.work(OWNER, BETWEEN, { units: 80_000 });
    await world.pass(10);
    await world.send(BETWEEN, FAR, 79_000);
    await world.pass(10);
    await world.work(FAR, AGENT, { units: 80_000 });
    await jobs.read();
    await jobs.recompute();
    const nothing = { funded: 0, completed: 0, units: "0", clients: 0 };
    const unread = [{ rule: "unread", completed: 5, units: "310000" }];
    expect(await figures(31)).toMatchObject({ raw: { completed: 5 }, organic: nothing, removed: unread });
    await jobs.readMoney();
    await jobs.recompute();
    const own = { rule: "self_funded", completed: 2, units: "140000" };
    const organic = { completed: 2, units: "100000", clients: 2 };
    const removed = [own, { rule: "circular", completed: 1, units: "70000" }];
    expect(await figures(31)).toMatchObject({ raw: { completed: 5, clients: 5 }, organic, removed });
    const weighed = "select rule, through from offchain.commerce_weighed where rule is not null order by through, rule";
    expect(await rows(weighed)).toEqual([
      { rule: "self_funded", through: at(BETWEEN) },
      { rule: "circular", through: null },
      { rule: "self_funded", through: null },
    ]);
    // What goes back later is seen later, and taken back with its block.
    const before = await figures(31);
    await world.send(AGENT, BOB, 30_000);
    await jobs.readMoney();
    expect(await jobs.recompute()).toBeGreaterThan(0);
    expect((await figures(31)).removed.find(({ rule }: { rule: string }) => rule === "circular").completed).toBe(2);
    await world.reorg(1);
    await jobs.readMoney();
    await jobs.recompute();
    expect(await figures(31)).toEqual(before);
    // Who is no client any more is not followed any more.
    await jobs.plantAgent(31, null, at(OWNER));
    await jobs.readMoney();
    expect(await rows("select from offchain.income_followed where kind = 'payer'")).toEqual([]);
  });

  it("are not organic where an agent that the owner registered evaluates, and are where one does that it was given", async () => {
    await jobs.plantAgent(31, at(AGENT), at(OWNER));
    await plantOwnAgent(db, { tokenId: 1, wallet: at(SECOND), owner: at(OWNER) });
    await plantOwnAgent(db, { tokenId: 2, wallet: at(JUDGE), owner: at(OWNER), givenBy: at(FAR) });
    for (const client of [ALICE, BOB]) {
      await world.work(client, AGENT, { evaluator: JUDGE });
      await world.work(client, AGENT, { evaluator: SECOND });
    }
    await readAndWeigh();
    const removed = [{ rule: "own_evaluator", completed: 2 }];
    expect(await figures(31)).toMatchObject({ organic: { completed: 2, clients: 2, evaluators: 1 }, removed });
  });

  it("are weighed again when their client earns something of the agent's side", async () => {
    await jobs.plantAgent(31, at(AGENT), at(OWNER));
    for (const client of [ALICE, BOB, OTHER]) await world.work(client, AGENT);
    await readAndWeigh();
    expect((await figures(31)).organic.completed).toBe(3);
    await world.pass(10);
    await world.work(OWNER, OTHER, { units: 60_000 });
    await jobs.read();
    expect(await jobs.recompute()).toBe(1);
    const removed = [{ rule: "circular", completed: 1 }];
    expect(await figures(31)).toMatchObject({ organic: { completed: 2 }, removed });
  });

  it("of clients that take their money back hide none that were completed, and the escrow is nobody's source", async () => {
    await jobs.plantAgent(31, at(AGENT), at(OWNER));
    for (const client of [ALICE, BOB]) {
      await world.work(client, AGENT);
      const cancelled = await world.open(client, AGENT, { evaluator: JUDGE });
      await world.fund(client, cancelled);
      await world.judge(JUDGE, cancelled, "reject");
    }
    await jobs.read();
    await jobs.readMoney();
    const moves = await rows("select distinct sender from offchain.income_move");
    expect(moves.map(({ sender }) => sender)).toContain(world.contract);
    const [{ id }] = await rows("select id from offchain.directory");
    const now = Math.floor((await world.now()).getTime() / 1_000);
    const { facts } = (await jobFacts(db.pool, { id, usdc: world.usdc, now }))!;
    expect(facts.funding.map(({ source }) => source)).not.toContain(world.contract);
    await db.pool.query(
      `insert into offchain.commerce_job
         (job_id, provider, block, log_index, funded_at, ended_at, client, evaluator, token, units, state, job)
       select 1000000 + n, provider, block + n, log_index, funded_at, ended_at, $1, null, token, units, 'expired', job
       from offchain.commerce_job, generate_series(1, ${MAX_PAYERS}) n where state = 'completed' and client = $2`,
      [at(FAR), at(ALICE)],
    );
    await jobs.recompute();
    expect((await figures(31)).raw).toMatchObject({ completed: 2, funded: MAX_PAYERS + 4 });
  });

  it("of a contract that names no token are worth nothing known", async () => {
    await jobs.plantAgent(31, at(AGENT), at(OWNER));
    for (const client of [ALICE, BOB]) await world.work(client, AGENT);
    chain = { ...world.chain, call: async () => ({ ok: false, data: null, reason: "execution reverted" }) };
    await jobs.read();
    await jobs.recompute();
    const removed = [{ rule: "other_token", completed: 2 }];
    const raw = { completed: 2, units: "0" };
    expect(await figures(31)).toMatchObject({ raw, organic: { completed: 0 }, removed });
    // Nobody's money is read for what is worth nothing known.
    await jobs.readMoney();
    expect(await rows("select from offchain.income_followed where kind <> 'wallet'")).toEqual([]);
  });

  it("are none without a contract or requests, and forgotten with it", async () => {
    await jobs.plantAgent(31, at(AGENT), at(OWNER));
    await world.work(ALICE, AGENT);
    const contract = address;
    address = undefined;
    expect(await jobs.read()).toBe(0);
    address = contract;
    perDay = 0;
    expect(await jobs.read()).toBe(0);
    perDay = 100_000_000;
    await jobs.read();
    await jobs.recompute();
    expect(await equalsChain()).toHaveLength(1);
    // Another contract has none of these jobs.
    address = world.usdc;
    await jobs.read();
    expect(await rows("select from offchain.commerce_job")).toEqual([]);
    address = contract;
    await jobs.read();
    expect(await equalsChain()).toHaveLength(1);
    address = undefined;
    expect(await jobs.read()).toBe(1);
    await jobs.recompute();
    expect(await figures(31)).toBe(null);
    for (const table of ["contract", "mark", "log", "job", "provider", "figures", "weighed"])
      expect([table, await rows(`select from offchain.commerce_${table}`)]).toEqual([table, []]);
  });
});

it("figures are of the jobs since the first block that is set now", async () => {
  await jobs.plantAgent(31, at(AGENT), at(OWNER));
  await world.work(ALICE, AGENT);
  const later = Number(await world.evm.getBlockNumber()) + 1;
  await world.work(BOB, AGENT);
  for (const completed of [2, 1]) {
    await jobs.read();
    await jobs.recompute();
    expect((await figures(31)).raw.completed).toBe(completed);
    startBlock = later;
  }
});

describe("what is stored equals the contract", () => {
  const some = async () => {
    await jobs.plantAgent(31, at(AGENT), at(OWNER));
    await world.work(ALICE, AGENT);
    await jobs.read();
  };

  it.each([1, 3, 100])("after a reorganisation of %i blocks", async (depth) => {
    await some();
    await world.mine(depth);
    const open = await world.open(BOB, AGENT, { evaluator: JUDGE });
    await world.fund(BOB, open);
    if (depth > 10) await world.mine(depth - 10);
    await world.submit(AGENT, open);
    await world.judge(JUDGE, open);
    await jobs.read();
    await jobs.recompute();
    expect((await equalsChain()).map(({ state }) => state)).toEqual(["completed", "completed"]);
    await world.reorg(depth);
    await jobs.read();
    await jobs.recompute();
    const left = await equalsChain();
    const states: Record<number, string[]> = { 1: ["completed", "submitted"], 3: ["completed"], 100: ["completed"] };
    expect(left.map(({ state }) => state)).toEqual(states[depth]);
    expect((await figures(31)).raw).toMatchObject({ completed: 1, funded: left.length });
    await world.work(BOB, AGENT);
    await jobs.read();
    await jobs.recompute();
    expect(await equalsChain()).toHaveLength(left.length + 1);
    expect((await figures(31)).raw.completed).toBe(2);
  });

  it("after a reorganisation below all that was read", async () => {
    await some();
    await world.mine(1);
    await jobs.read();
    for (const column of ["mark set hash", "log set block_hash"])
      await db.pool.query(`update offchain.commerce_${column} = '0xgone' || block`);
    await jobs.read();
    await jobs.read();
    expect(await equalsChain()).toHaveLength(1);
  });

  it("where nodes take few blocks, or say no times with logs", async () => {
    const strict = ended(await startStrictNode({ upstream: world.anvil.url, profile: "logs-10" }));
    chain = chainAt(strict.url);
    await some();
    await equalsChain();
    chain = withoutTimes(chainAt(world.anvil.url));
    await world.work(BOB, AGENT);
    await world.mine(300);
    await jobs.read();
    expect(await equalsChain()).toHaveLength(2);
  });

  it("whatever happens in whatever order, runs at once and runs that end anywhere among it", async () => {
    const random = randomOf(17);
    await some();
    await world.mine(20);
    const anyJob = async () =>
      BigInt(between(random, Math.max(1, Number(await world.counter()) - 6), Number(await world.counter())));
    const anybody = () => pick(random, [AGENT, ALICE, BOB, JUDGE]);
    const events: (() => Promise<unknown>)[] = [
      () => world.work(anybody(), anybody()),
      async () => world.fund(ALICE, await world.open(ALICE, AGENT, { evaluator: JUDGE })),
      async () => world.submit(AGENT, await anyJob()),
      async () => world.judge(anybody(), await anyJob(), pick(random, ["complete", "reject"])),
      async () => {
        await world.work(ALICE, AGENT);
        await jobs.read();
        await world.reorg(between(random, 1, 6));
      },
      () => world.mine(between(random, 1, 5)),
      () => Promise.all([jobs.read(), jobs.read()]),
      async () => {
        let requests = between(random, 1, 6);
        chain = counted(world.chain, () => {
          if (requests-- <= 0) fail("upstream_unavailable", "The node is gone.");
        });
        await Promise.allSettled([jobs.read(), jobs.read()]);
        chain = null;
      },
    ];
    for (let step = 0; step < 60; step++) {
      // What a run refuses, or the chain after a reorganisation, is one of the things that happen.
      await pick(random, events)().catch(() => {});
      if (step % 15 === 14) {
        for (let round = 0; round < 3; round++) await jobs.read();
        await equalsChain();
      }
    }
  });
});

describe("reads", () => {
  const HEAD = 45_000;
  const readTo = async () => (await rows("select read_to as to from offchain.commerce_contract"))[0].to;

  it("go on where they ended, within the budget, in the requests that the estimate says", async () => {
    startBlock = 0;
    let requests = 0;
    let head = HEAD;
    chain = counted(
      quiet(() => head),
      () => void requests++,
    );
    // Seven requests a run: about one range.
    perDay = 7 * 5_760;
    let runs = 0;
    for (; runs === 0 || (await readTo()) < HEAD; runs++) await jobs.read();
    expect(runs).toBeGreaterThanOrEqual(4);
    expect(runs).toBeLessThanOrEqual(7);
    const { past, pass } = rangeRequests(HEAD, null);
    expect(requests - runs).toBeGreaterThanOrEqual(past - 3);
    expect(requests - runs).toBeLessThanOrEqual(past + 1);
    perDay = 100_000_000;
    head += 1;
    requests = 0;
    await jobs.read();
    expect([await readTo(), requests]).toEqual([HEAD + 1, 1 + pass]);
    expect(rangeRequests(20_001, 10)).toEqual({ past: 3 * 1_002, budget: 3 * 7, pass: 4 });
  });

  it("that fail are put off and halved; while no node answers nothing is", async () => {
    startBlock = 0;
    const ranges: number[] = [];
    chain = {
      ...quiet(() => HEAD),
      async logs({ fromBlock, toBlock }) {
        ranges.push(toBlock! - fromBlock + 1);
        if (ranges.at(-1)! > 2_500) fail("upstream_unavailable", "This filter finds too much.");
        return [];
      },
    };
    await jobs.read();
    await jobs.read();
    expect(ranges).toEqual([10_000]);
    for (let run = 0; run < 2; run++) {
      await db.pool.query("update offchain.commerce_contract set next_try_at = null");
      await jobs.read();
    }
    // The third is read; the fourth is as large as the first.
    expect(ranges).toEqual([10_000, 5_000, 2_500, 10_000]);
    expect(await readTo()).toBe(2_499);
    await db.pool.query("update offchain.commerce_contract set next_try_at = null, failures = 0");
    chain = gone(quiet(() => HEAD));
    await expect(jobs.read()).rejects.toThrow("gone");
    expect(await rows("select failures from offchain.commerce_contract")).toEqual([{ failures: 0 }]);
  });
});
