/** Money that goes round on a real chain, through a public contract and accounts: it is no income of any agent, and those beside it lose nothing. */
import { beforeEach, describe, expect, it } from "vitest";
import { LOOP_BLOCKS } from "../../core/income/loops.ts";
import { testDatabase } from "../support/database.ts";
import { perFile, perTest } from "../support/started.ts";
import { incomeJobs, plantOwnAgent, startIncomeWorld, statsOf } from "./support/income.ts";
import { lower } from "./support/money-chain.ts";

const world = perFile(startIncomeWorld);
const db = perTest(() => testDatabase({ indexed: true }));
let jobs: ReturnType<typeof incomeJobs>;
/** Accounts of this test alone: the chain goes on from test to test. */
let first = 5_000;
const one = (n: number) => world.account(first + n);
const at = (n: number) => lower(one(n).address);
const [WALLET, OWNER, ALICE, BOB, BETWEEN, PAYER] = [1, 2, 3, 4, 5, 6];
const SUM = 2_000_000;
const PAYERS = [PAYER, PAYER + 1, PAYER + 2];
/** What two customers paid with money of their own. */
const HONEST = 80_000;

beforeEach(async () => {
  first += 100;
  jobs = incomeJobs(db, world);
  await jobs.plantAgent(31, at(WALLET), at(OWNER));
  await world.send(at(ALICE), 900_000);
  await world.send(at(40), 900_000);
  await world.send(at(BOB), 800_000, at(40));
  await world.settle(one(ALICE), at(WALLET), 50_000);
  await world.settle(one(BOB), at(WALLET), 30_000);
});

const window = async () => {
  await db.pool.query("update offchain.income_figures set computed_at = 'epoch'");
  await jobs.settleDown();
  return statsOf(db, "income", 31);
};
const rulesOf = async (payer: number) => {
  const sql = "select rule from offchain.income_payment where payer = $1 order by block";
  return (await db.rows(sql, [at(payer)])).map(({ rule }) => rule);
};
const count = async (table: string) => (await db.rows(`select from offchain.${table}`)).length;

describe("a round of money", () => {
  it("in one transaction is no income: wallet, public contract, payer, wallet, eighteen times", async () => {
    await world.send(at(OWNER), SUM);
    const rounds = [1, 2, 3, 4, 5, 6].flatMap(() =>
      PAYERS.flatMap((n, i) => [
        { from: at(i === 0 ? OWNER : WALLET), to: world.multicall, units: SUM },
        { to: at(n), units: SUM },
        { by: one(n), to: at(WALLET), units: SUM },
        ...(i === 2 ? [{ from: at(WALLET), to: at(OWNER), units: SUM }] : []),
      ]),
    );
    await world.together(rounds);
    const { raw, organic, removed } = await window();
    expect(raw).toMatchObject({ payments: 20, units: String(18 * SUM + HONEST) });
    expect(organic).toMatchObject({ payments: 2, units: String(HONEST), payers: 2 });
    expect(removed).toEqual([{ rule: "self_funded", payments: 18, units: String(18 * SUM) }]);
    expect(await count("income_route")).toBe(0);
  });

  it("in one transaction is no income, lent first and by accounts in between; they are read once", async () => {
    await world.send(world.multicall, SUM);
    await world.send(at(BETWEEN), SUM);
    await world.send(at(WALLET), SUM);
    await world.together([
      { to: at(PAYER), units: SUM },
      { by: one(PAYER), to: at(WALLET), units: SUM },
      { from: at(WALLET), to: at(BETWEEN), units: SUM },
      { from: at(BETWEEN), to: at(BETWEEN + 40), units: SUM },
      { from: at(BETWEEN + 40), to: world.multicall, units: SUM },
    ]);
    for (let pass = 0; pass < 2; pass++) {
      await jobs.follow();
      await jobs.read();
    }
    await jobs.recompute();
    expect(await rulesOf(PAYER)).toEqual(["unread"]);
    expect((await window()).organic).toMatchObject({ units: String(HONEST) });
    expect(await rulesOf(PAYER)).toEqual(["self_funded"]);
    expect(await count("income_route")).toBe(1);
    // What a reorganisation took back is forgotten.
    await db.pool.query("update offchain.income_route set block_hash = '0xgone'");
    await jobs.settleDown();
    expect(await db.rows("select block_hash from offchain.income_route")).not.toContainEqual({
      block_hash: "0xgone",
    });
    expect(await rulesOf(PAYER)).toEqual(["self_funded"]);
  });

  it.each([
    { blocks: 1, organic: HONEST },
    { blocks: LOOP_BLOCKS + 1, organic: HONEST + SUM },
  ])("through a contract that keeps it for $blocks blocks: $organic is organic", async ({ blocks, organic }) => {
    await world.send(at(WALLET), SUM);
    await world.send(world.multicall, SUM, at(WALLET));
    await world.mine(blocks);
    await world.together([{ to: at(PAYER), units: SUM }]);
    await world.settle(one(PAYER), at(WALLET), SUM);
    expect((await window()).organic.units).toBe(String(organic));
  });

  it("is not what a facilitator settles in one transaction, also of agents that pay each other", async () => {
    await world.send(at(PAYER), 900_000);
    await world.send(at(41), 900_000);
    await jobs.plantAgent(32, at(PAYER + 1), at(50));
    await world.together([
      { by: one(41), to: at(PAYER + 1), units: 40_000 },
      { by: one(PAYER + 1), to: at(WALLET), units: 30_000 },
      { by: one(PAYER), to: at(WALLET), units: 30_000 },
      { by: one(WALLET), to: at(51), units: 20_000 },
    ]);
    expect((await window()).organic).toMatchObject({ payments: 4, units: String(HONEST + 60_000) });
  });
});

describe("an owner's agents", () => {
  const pay = async (n: number) => {
    await world.send(at(n), 900_000);
    await world.settle(one(n), at(WALLET), 20_000);
  };
  const plantOwn = (wallet: number, givenBy?: string) =>
    plantOwnAgent(db, { tokenId: wallet, wallet: at(wallet), owner: at(OWNER), givenBy });

  it("pay it nothing, the hundred-and-first and all after it neither; it follows those that were given money", async () => {
    for (let n = 1; n <= 105; n++) await jobs.plantAgent(1_000 + n, `0x${String(n).padStart(40, "0")}`, at(OWNER));
    await jobs.plantAgent(2_000, at(PAYER), at(OWNER));
    await pay(PAYER);
    // One that is given money last, and gives it to a payer by way of an account.
    await jobs.plantAgent(2_001, at(60), at(OWNER));
    await world.send(at(60), 400_000);
    await world.send(at(61), 300_000, at(60));
    await world.send(at(62), 200_000, at(61));
    await world.settle(one(62), at(WALLET), 200_000);
    await world.settle(one(60), at(WALLET), 10_000);
    expect((await window()).organic.units).toBe(String(HONEST));
    expect([await rulesOf(PAYER), await rulesOf(60), await rulesOf(62)]).toEqual([
      ["own_group"],
      ["own_group"],
      ["self_funded"],
    ]);
  });

  it("are those that it registered: a gift joins nobody's group, gives nothing back and connects no payers", async () => {
    await plantOwn(PAYER);
    await plantOwn(PAYER + 1, at(70));
    // The canonical registry forgets the wallet with the transfer.
    await jobs.plantAgent(40, null, at(OWNER));
    for (const n of [PAYER, PAYER + 1]) await pay(n);
    // The giver sends a customer what it had paid.
    await world.send(at(ALICE), 50_000, at(PAYER + 1));
    const { organic, removed } = await window();
    expect(removed).toEqual([{ rule: "own_group", payments: 1, units: "20000" }]);
    expect(organic).toMatchObject({ payments: 3, units: String(HONEST + 20_000) });
  });

  it("stay so for what they paid before they were moved to another owner", async () => {
    await jobs.plantAgent(32, at(PAYER), at(OWNER));
    await pay(PAYER);
    await window();
    await world.evm.increaseTime({ seconds: 60 });
    await jobs.plantAgent(32, null, at(80));
    await jobs.plantAgent(32, at(PAYER), at(80));
    await pay(PAYER);
    expect((await window()).organic.payments).toBe(3);
    for (let pass = 0; pass < 2; pass++) {
      await window();
      expect(await rulesOf(PAYER)).toEqual(["own_group", null]);
    }
    await jobs.plantAgent(32, at(PAYER), at(OWNER));
    await window();
    expect(await rulesOf(PAYER)).toEqual(["own_group", "own_group"]);
  });
});
