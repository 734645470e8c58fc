/** Payments to agents' wallets, read from a real chain: what is stored equals the chain through reorganisations, nodes with limits and restarts, and figures follow. */
import { beforeEach, describe, expect, it } from "vitest";
import type { Chain } from "../../clients/ports.ts";
import { fail } from "../../core/errors.ts";
import { INCOME_BLOCKS, MAX_WEIGHED } from "../../core/income/rules.ts";
import { chainAt } from "../../harness/chain-at.ts";
import { plantCheckpoint } from "../../harness/onchain.ts";
import { between, pick, randomOf } from "../../harness/random.ts";
import { startStrictNode } from "../../harness/strict-node/strict-node.ts";
import { incomeRequests } from "../../scripts/backfill/estimate.ts";
import { income } from "../../workers/income/income.ts";
import { incomeFollowed } from "../../workers/income/income-followed.ts";
import { incomeStats } from "../../workers/income/recompute-due.ts";
import { JOBS } from "../../workers/jobs.ts";
import { testDatabase } from "../support/database.ts";
import { endedPerTest, perFile, perTest } from "../support/started.ts";
import {
  counted,
  gone,
  incomeJobs,
  quiet,
  startIncomeWorld,
  statsOf,
  storedAndTrue,
  withoutTimes,
} from "./support/income.ts";
import { lower } from "./support/money-chain.ts";

const world = perFile(startIncomeWorld);
const db = perTest(() => testDatabase({ indexed: true }));
const ended = endedPerTest();
let jobs: ReturnType<typeof incomeJobs>;
let perDay = 100_000_000;
let chain: Chain | null = null;
/** Accounts of this test alone: the chain goes on from test to test. */
let first = 0;
const one = (n: number) => world.account(first + n);
const at = (n: number) => lower(one(n).address);

beforeEach(async () => {
  perDay = 100_000_000;
  chain = null;
  first += 100;
  jobs = incomeJobs(db, world, { perDay: () => perDay, chain: () => chain ?? world.chain });
});

const equalsChain = async () => {
  const { stored, truth } = await storedAndTrue(db, world);
  expect(stored).toEqual(truth);
  return stored;
};
const figures = (id: number) => statsOf(db, "income", id);
const countOf = async (table: string) => (await db.rows(`select from offchain.income_${table}`)).length;
/** An agent with a payer whose money came from outside, and one payment. */
async function paid(owner: string | null = at(OWNER)) {
  await jobs.plantAgent(31, at(WALLET), owner);
  await world.send(at(PAYER), 900_000);
  await world.settle(one(PAYER), at(WALLET), 30_000);
}
const HEAD = 45_000;
const [WALLET, OWNER, PAYER, OTHER, HUB] = [1, 2, 3, 4, 5];

it("dust hides no payments, however much there is of it", async () => {
  await paid();
  await jobs.settleDown();
  await db.pool.query(
    `insert into offchain.income_move (block_hash, log_index, block, at, tx_hash, sender, recipient, units, nonce)
     select block_hash || n, log_index, block + n, at, tx_hash, $1, recipient, 1, '0x' || n
     from offchain.income_move, generate_series(1, ${MAX_WEIGHED}) n where nonce is not null`,
    [at(OTHER)],
  );
  await db.pool.query("update offchain.income_followed set changed_at = clock_timestamp()");
  await jobs.recompute();
  expect((await figures(31)).raw).toMatchObject({ payments: MAX_WEIGHED + 1, units: String(30_000 + MAX_WEIGHED) });
});

describe("the jobs", () => {
  it("read payments by authorization to agents' wallets, whose money it was, and tell raw from organic", async () => {
    expect(JOBS).toEqual(expect.arrayContaining([incomeFollowed, income, incomeStats]));
    await jobs.plantAgent(31, at(WALLET), at(OWNER));
    await jobs.plantAgent(32, at(HUB), null, { wallet_proven: false });
    // Honest payers with money from two accounts; a plain transfer is no payment; one that only names the wallet has none.
    await world.send(at(PAYER), 900_000);
    await world.send(at(6), 500_000);
    await world.send(at(OTHER), 500_000, at(6));
    await world.settle(one(PAYER), at(WALLET), 30_000);
    await world.settle(one(PAYER), at(WALLET), 20_000);
    await world.settle(one(OTHER), at(WALLET), 50_000);
    await world.settle(one(PAYER), at(HUB), 10_000);
    await world.send(at(WALLET), 70_000, at(PAYER));
    // The owner funds a payer; the agent gives a payment back.
    await world.send(at(OWNER), 400_000);
    await world.send(at(7), 100_000, at(OWNER));
    await world.settle(one(7), at(WALLET), 90_000);
    await world.send(at(PAYER), 20_000, at(WALLET));
    await jobs.settleDown();
    expect((await equalsChain()).filter(({ nonce }) => nonce !== null)).toHaveLength(4);
    expect(await figures(31)).toEqual({
      days: 90,
      raw: { payments: 4, units: "190000", payers: 3, repeatPayers: 1, refunds: { payments: 1, units: "20000" } },
      organic: { payments: 2, units: "80000", payers: 2, repeatPayers: 0 },
      removed: [
        { rule: "refunded", payments: 1, units: "20000" },
        { rule: "self_funded", payments: 1, units: "90000" },
      ],
    });
    expect(await figures(32)).toBe(null);
  });

  it("count nothing before a payer's money is read, and nothing of a wallet that is another's now", async () => {
    await jobs.plantAgent(31, at(WALLET), at(OWNER));
    await world.send(at(PAYER), 900_000);
    await world.send(at(6), 900_000);
    await world.send(at(OTHER), 500_000, at(6));
    await world.settle(one(PAYER), at(WALLET), 30_000);
    await world.settle(one(OTHER), at(WALLET), 30_000);
    const unread = { organic: { payments: 0 }, removed: [{ rule: "unread", payments: 2 }] };
    await jobs.follow();
    await jobs.read();
    await jobs.recompute();
    expect(await figures(31)).toMatchObject(unread);
    // The payers are followed; their past is not read.
    await jobs.follow();
    await db.pool.query("update offchain.income_figures set computed_at = 'epoch'");
    await jobs.recompute();
    expect(await figures(31)).toMatchObject(unread);
    await jobs.settleDown();
    expect(await figures(31)).toMatchObject({ organic: { payments: 2, payers: 2 }, removed: [] });
    await jobs.plantAgent(31, null, at(OWNER));
    await jobs.settleDown();
    expect(await figures(31)).toBe(null);
    expect([await countOf("move"), await countOf("cohort")]).toEqual([0, 0]);
  });

  it("follow a wallet at once on a chain of few blocks, and ask no node elsewhere", async () => {
    await paid();
    await plantCheckpoint(db.pool, { block: 9_999 });
    // Two passes: of the wallet, then of who paid it.
    for (let pass = 0; pass < 2; pass++) expect(await jobs.followYoung()).toBeGreaterThan(0);
    await jobs.recompute();
    expect(await figures(31)).toMatchObject({ raw: { payments: 1 }, removed: [{ rule: "one_payer" }] });
    await plantCheckpoint(db.pool, { block: 10_000 });
    await jobs.plantAgent(32, at(OTHER), at(OWNER));
    let requests = 0;
    chain = counted(world.chain, () => void requests++);
    expect([await jobs.followYoung(), requests]).toEqual([0, 0]);
    expect(await jobs.follow()).toBeGreaterThan(0);
  });

  it("read nothing where an operator wants none", async () => {
    await jobs.plantAgent(31, at(WALLET), at(OWNER));
    perDay = 0;
    await jobs.settleDown();
    expect(await countOf("followed")).toBe(0);
  });
});

describe("what is stored equals the chain", () => {
  const some = async () => {
    await paid();
    await jobs.settleDown();
  };

  it.each([1, 3, 100])("after a reorganisation of %i blocks", async (depth) => {
    await some();
    await world.mine(depth);
    await world.settle(one(PAYER), at(WALLET), 21_000);
    if (depth > 10) await world.mine(depth - 10);
    await world.settle(one(PAYER), at(WALLET), 22_000);
    await jobs.settleDown();
    await equalsChain();
    await world.reorg(depth);
    expect((await storedAndTrue(db, world)).truth).not.toHaveLength(0);
    await jobs.read();
    const left = (await equalsChain()).filter(({ nonce }) => nonce !== null);
    expect(left.map(({ units }) => units)).not.toContain("22000");
    await world.settle(one(PAYER), at(WALLET), 23_000);
    await jobs.settleDown();
    await equalsChain();
    expect((await figures(31)).raw.payments).toBe(left.length + 1);
  });

  it("after a reorganisation below all that was read", async () => {
    await some();
    await db.pool.query("update offchain.income_mark set hash = '0xgone'");
    await db.pool.query("update offchain.income_move set block_hash = '0xgone'");
    await jobs.settleDown();
    expect(await equalsChain()).toHaveLength(2);
  });

  it("where nodes take few blocks, or say no times with logs", async () => {
    const strict = ended(await startStrictNode({ upstream: world.anvil.url, profile: "logs-10" }));
    chain = chainAt(strict.url);
    await some();
    await equalsChain();
    chain = withoutTimes(chainAt(world.anvil.url));
    await world.settle(one(PAYER), at(WALLET), 25_000);
    await world.mine(300);
    await jobs.settleDown();
    expect(await equalsChain()).toHaveLength(3);
  });

  it("whatever happens in whatever order, runs at once and runs that end anywhere among it", async () => {
    const random = randomOf(11);
    await some();
    const wallets = [at(WALLET), at(8), at(9)];
    await world.send(at(OTHER), 900_000);
    await world.mine(20);
    const events: (() => Promise<unknown>)[] = [
      () => world.settle(one(pick(random, [PAYER, OTHER])), pick(random, wallets), between(random, 1, 15_000)),
      () => world.send(at(pick(random, [PAYER, OTHER, 10])), between(random, 5_000, 15_000)),
      () => world.send(at(pick(random, [PAYER, 10])), between(random, 1, 15_000), at(WALLET)),
      async () => {
        await world.settle(one(OTHER), pick(random, wallets), between(random, 1, 15_000));
        await jobs.read();
        await world.reorg(between(random, 1, 6));
      },
      () => world.mine(between(random, 1, 5)),
      () => jobs.plantAgent(33, pick(random, [at(8), null]), at(10)),
      () => jobs.follow(),
      () => Promise.all([jobs.read(), jobs.read()]),
      async () => {
        let requests = between(random, 1, 6);
        chain = counted(world.chain, () => {
          if (requests-- <= 0) fail("upstream_unavailable", "The node is gone.");
        });
        await Promise.allSettled([jobs.follow(), jobs.read()]);
        chain = null;
      },
    ];
    for (let step = 0; step < 60; step++) {
      // What the money no longer allows after a reorganisation, or what a run refuses, is one of the things that happen.
      await pick(random, events)().catch(() => {});
      if (step % 15 === 14) {
        await jobs.settleDown();
        await equalsChain();
      }
    }
  });
});

describe("reads", () => {
  it("are made again where another address has joined their cohort meanwhile", async () => {
    await paid();
    await jobs.follow();
    const cohort = (await db.rows("select id from offchain.income_cohort where kind = 'wallet'"))[0].id;
    const join = `insert into offchain.income_followed values ('${at(8)}', 'wallet', ${cohort}) on conflict do nothing`;
    const logs: Chain["logs"] = async (range) => (await db.rows(join)) && world.chain.logs(range);
    const readTo = async () => (await db.rows("select max(read_to) as to from offchain.income_cohort"))[0].to;
    const before = await readTo();
    chain = Object.assign(Object.create(world.chain) as Chain, { logs });
    await jobs.read();
    expect(await readTo()).toBe(before);
    await jobs.read();
    expect(await readTo()).toBeGreaterThan(before);
  });

  it("go on where they ended, within the budget, and those behind do not wait for those at the head", async () => {
    await jobs.plantAgent(31, at(WALLET), at(OWNER));
    let requests = 0;
    chain = counted(
      quiet(() => HEAD),
      () => void requests++,
    );
    await jobs.follow();
    // Seven requests a run: about one range.
    perDay = 7 * 1_440;
    const readTo = async () => (await db.rows("select min(read_to) as to from offchain.income_cohort"))[0].to;
    let runs = 0;
    for (; (await readTo()) < HEAD; runs++) await jobs.read();
    // Five ranges: their logs, their last blocks, and the mark before each but the first. Each run asks for the head, too.
    expect(requests - runs).toBeLessThanOrEqual(1 + 15);
    expect(runs).toBeGreaterThanOrEqual(4);
    expect(runs).toBeLessThanOrEqual(7);
    await jobs.plantAgent(33, at(8), null);
    await jobs.follow();
    // The one at the head goes on while the one behind is read.
    for (let run = 0; run < 3; run++) await jobs.read();
    const rows = await db.rows("select read_to from offchain.income_cohort where kind = 'wallet' order by id");
    expect(rows[0].read_to).toBe(HEAD);
    expect(rows[1].read_to).toBeGreaterThan(0);
  });

  it("of the past take the requests that the estimate says", async () => {
    await jobs.plantAgent(31, at(WALLET), null);
    const head = INCOME_BLOCKS + 50_000;
    let requests = 0;
    chain = quiet(() => head);
    await jobs.follow();
    chain = counted(chain, () => void requests++);
    await jobs.read();
    expect(await db.rows("select read_to from offchain.income_cohort")).toEqual([{ read_to: head }]);
    const { past, pass } = incomeRequests(1, null);
    expect(requests / past).toBeGreaterThan(0.99);
    expect(requests / past).toBeLessThan(1.01);
    // A block later: the head, and what a pass takes.
    requests = 0;
    chain = counted({ ...quiet(() => head + 1), headBlock: async () => head }, () => void requests++);
    await jobs.read();
    expect(requests).toBe(1 + pass);
    // Ten blocks at once are a thousand requests a range.
    expect(incomeRequests(501, 10)).toEqual({ past: 2 * 389 * 1_002, budget: 2 * 389 * 7, pass: 8 });
  });

  it("of wallets that come later begin with their past, and then go together with the others", async () => {
    await jobs.plantAgent(31, at(WALLET), null);
    await world.send(at(PAYER), 900_000);
    await world.settle(one(PAYER), at(8), 30_000);
    await jobs.settleDown();
    expect((await equalsChain()).filter(({ nonce }) => nonce !== null)).toHaveLength(0);
    await jobs.plantAgent(33, at(8), null);
    await jobs.settleDown();
    await jobs.follow();
    expect((await equalsChain()).filter(({ nonce }) => nonce !== null)).toHaveLength(1);
    const wallets = await db.rows("select count(*)::int from offchain.income_cohort where kind = 'wallet'");
    expect(wallets).toEqual([{ count: 1 }]);
  });

  it("that fail for one wallet are split from the others and put off; while no node answers nobody is", async () => {
    for (const n of [8, 9, 10, 11]) await jobs.plantAgent(n, at(n), null);
    await world.send(at(PAYER), 900_000);
    await world.settle(one(PAYER), at(9), 30_000);
    await jobs.follow();
    const poison = at(11).slice(2);
    chain = {
      ...world.chain,
      async logs(of) {
        if (JSON.stringify(of.topics).includes(poison)) fail("upstream_unavailable", "This filter finds too much.");
        return world.chain.logs(of);
      },
    };
    const due = () => db.pool.query("update offchain.income_cohort set next_try_at = null");
    for (let run = 0; run < 8; run++) {
      await jobs.read();
      await due();
    }
    expect((await equalsChain()).map(({ recipient }) => recipient)).toEqual([at(9)]);
    const failing = `select f.address from offchain.income_followed f join offchain.income_cohort c on c.id = f.cohort
      where c.failures > 0`;
    expect(await db.rows(failing)).toEqual([{ address: at(11) }]);
    chain = gone(world.chain);
    const failures = async () => (await db.rows("select sum(failures)::int as n from offchain.income_cohort"))[0].n;
    const before = await failures();
    await world.mine(1);
    await due();
    await expect(jobs.read()).rejects.toThrow("gone");
    expect(await failures()).toBe(before);
  });

  it("of accounts that connect payers go on with the others where one cannot be read", async () => {
    const hubs = [20, 30].sort((a, b) => (at(a) < at(b) ? -1 : 1));
    const [failing, other] = hubs.map(at) as [string, string];
    await jobs.plantAgent(12, at(12), null);
    for (const hub of hubs)
      for (const payer of [hub + 1, hub + 2]) {
        await world.send(at(hub), 900_000);
        await world.settle(one(hub), at(payer), 100_000);
        await world.settle(one(payer), at(12), 30_000);
      }
    const code: Chain["code"] = async (address) =>
      lower(address) === failing ? fail("upstream_unavailable", "gone") : world.chain.code(address);
    chain = { ...world.chain, code };
    const accounts = "select address from offchain.income_account order by address";
    const known = async () => (await db.rows(accounts)).map(({ address }) => address);
    for (let round = 0; round < 3; round++) {
      await jobs.follow().catch((error) => expect(error.errors).toMatchObject([{ message: "gone" }]));
      await jobs.read();
    }
    expect(await known()).toEqual([other]);
    chain = null;
    await jobs.follow();
    expect(await known()).toEqual([failing, other]);
  });
});
