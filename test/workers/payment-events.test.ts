/** Events of payments to agents' wallets, over a real chain: each once, taken back with their block, none of dust, of the past, or of a flood. */
import { beforeEach, describe, expect, it } from "vitest";
import type { Chain } from "../../clients/ports.ts";
import { EVENT_TYPES, type EventData, MAX_PER_DAY } from "../../core/events/events.ts";
import { DUST_UNITS } from "../../core/income/rules.ts";
import { eventLog, eventsAfter } from "../../db/events/events.ts";
import { between, pick, randomOf } from "../../harness/random.ts";
import { sequence } from "../../workers/events/event-log.ts";
import { plantAgents } from "../api/support/agents.ts";
import { testDatabase } from "../support/database.ts";
import { perFile, perTest } from "../support/started.ts";
import { incomeJobs, startIncomeWorld } from "./support/income.ts";
import { lower } from "./support/money-chain.ts";

const world = perFile(startIncomeWorld);
const db = perTest(() => testDatabase({ indexed: true }));
let jobs: ReturnType<typeof incomeJobs>;
let chain: Chain | null = null;
/** Accounts of this test alone: the chain goes on from test to test. */
let first = 50_000;
const one = (n: number) => world.account(first + n);
const at = (n: number) => lower(one(n).address);
const [WALLET, OWNER, PAYER, OTHER] = [1, 2, 3, 4];
const CENT = 10_000;

beforeEach(async () => {
  chain = null;
  first += 100;
  jobs = incomeJobs(db, world, { chain: () => chain ?? world.chain });
  await jobs.plantAgent(31, at(WALLET), at(OWNER));
  for (const n of [PAYER, OTHER]) await world.send(at(n), 5_000_000);
});

/** What the log tells now, in its order. */
async function log(final = false) {
  const context = { db: db.pool, clock: () => new Date(), log: jobs.log, fault: () => {} };
  await sequence({ ...context, config: { eventRetentionMs: 7 * 86_400_000 } });
  const { head } = await eventLog(db.pool);
  return (await eventsAfter(db.pool, { after: 0, head, limit: 1_000, final })).events;
}
const paid = async () => (await log()).filter(({ type }) => type === "agent.paid");
const amounts = async () => (await paid()).map(({ data }) => (data as EventData<"agent.paid">).usdc);
const retracted = async () =>
  (await log()).flatMap(({ type, data }) =>
    type === "event.retracted" ? [(data as EventData<"event.retracted">).id] : [],
  );
const reread = () => db.pool.query("update offchain.income_mark set hash = '0xgone'");

describe("a payment", () => {
  it("is one event, whoever reads how often", async () => {
    const { transactionHash, blockNumber } = await world.settle(one(PAYER), at(WALLET), 50_000);
    await jobs.settleDown();
    const [event, ...others] = await log();
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      ...{ type: "agent.paid", tokenId: null, agentAddress: at(WALLET), owner: at(OWNER), final: false },
      ...{ block: Number(blockNumber), txHash: transactionHash },
      data: {
        platform: "erc8004",
        agentId: "31",
        wallet: one(WALLET).address,
        payer: one(PAYER).address,
        usdc: "0.05",
      },
    });
    expect(EVENT_TYPES["agent.paid"].data.strict().safeParse(event!.data).error).toBeUndefined();
    await jobs.settleDown();
    await reread();
    await jobs.settleDown();
    expect(await log()).toEqual([event]);
  });

  it("of dust is none, nor is a plain transfer", async () => {
    await world.settle(one(PAYER), at(WALLET), Number(DUST_UNITS) - 1);
    await world.send(at(WALLET), CENT);
    await world.settle(one(PAYER), at(WALLET), Number(DUST_UNITS));
    await jobs.settleDown();
    expect(await amounts()).toEqual(["0.001"]);
  });

  it("to a wallet of several agents is one event, of the agent that is registered here", async () => {
    await plantAgents(db.pool, [{ tokenId: 7, agentAddress: at(WALLET), owner: at(OWNER) }]);
    const own = { platform: "helixa", agent_id: "7", token_id: 7, wallet_confirmed: true };
    await jobs.plantAgent(30, at(WALLET), at(OTHER));
    await jobs.plantAgent(7, at(WALLET), at(OWNER), own);
    await world.settle(one(PAYER), at(WALLET), CENT);
    await jobs.settleDown();
    expect(await paid()).toMatchObject([{ tokenId: 7, data: { platform: "helixa", agentId: "7" } }]);
  });

  it("of the past of a wallet that is followed later is none; of its first ten minutes, and from then on, it is", async () => {
    await world.settle(one(PAYER), at(8), CENT);
    await world.mine(400);
    await world.settle(one(PAYER), at(8), 2 * CENT);
    await jobs.plantAgent(32, at(8), at(OWNER));
    await jobs.settleDown();
    await world.settle(one(PAYER), at(8), 3 * CENT);
    await jobs.settleDown();
    await reread();
    await jobs.settleDown();
    expect(await amounts()).toEqual(["0.02", "0.03"]);
    expect((await db.pool.query("select from offchain.income_payment where payer = $1", [at(PAYER)])).rowCount).toBe(3);
  });

  it("is told of the first hundred of an agent, and of as many digits, on a day", async () => {
    await jobs.settleDown();
    const { timestamp } = await world.evm.getBlock();
    const day = Math.floor(Number(timestamp) / 86_400) * 86_400;
    const earlier = (seconds: number) =>
      db.pool.query(
        `insert into offchain.income_move (block_hash, log_index, block, at, tx_hash, sender, recipient, units, nonce)
         select '0x' || n, 0, 1, $1, '0x', $2, $3, $4, '0x' from generate_series(1, $5::int) n
         on conflict (block_hash, log_index) do update set at = excluded.at`,
        [seconds, at(PAYER), at(WALLET), CENT, MAX_PER_DAY],
      );
    await earlier(day);
    await world.settle(one(PAYER), at(WALLET), 50_000);
    await jobs.read();
    expect(await amounts()).toEqual([]);
    await world.settle(one(PAYER), at(WALLET), 500_000);
    await jobs.read();
    expect(await amounts()).toEqual(["0.5"]);
    // Another payer's first comes before a second of this one.
    await world.settle(one(OTHER), at(WALLET), 40_000);
    await jobs.read();
    expect(await amounts()).toEqual(["0.5", "0.04"]);
    await earlier(day - 1);
    await world.settle(one(PAYER), at(WALLET), 60_000);
    await jobs.read();
    expect(await amounts()).toEqual(["0.5", "0.04", "0.06"]);
  });
});

describe("a reorganisation", () => {
  it.each([1, 3, 60])("of %i blocks takes the events of its payments back, and no others", async (depth) => {
    await world.settle(one(PAYER), at(WALLET), 20_000);
    await world.mine(depth);
    await jobs.settleDown();
    await world.settle(one(PAYER), at(WALLET), 30_000);
    await jobs.read();
    const [kept, gone] = await paid();
    await world.reorg(depth);
    await world.settle(one(OTHER), at(WALLET), 40_000);
    await jobs.read();
    expect(await retracted()).toEqual([gone!.id]);
    expect(await amounts()).toEqual(["0.02", "0.03", "0.04"]);
    await jobs.settleDown();
    expect((await log()).length).toBe(4);
    expect(kept!.id).not.toBe(gone!.id);
  });

  it("that is itself taken back tells the payment anew", async () => {
    await world.settle(one(PAYER), at(WALLET), 20_000);
    await jobs.settleDown();
    const branch = async (of: Chain | null) => {
      chain = of;
      await reread();
      await world.mine(1);
      await jobs.read();
    };
    const other: Chain = { ...world.chain, logs: async () => [] };
    for (let i = 0; i < 2; i++) {
      await branch(other);
      await branch(null);
    }
    const told = (await paid()).map(({ id }) => id);
    expect(new Set(told).size).toBe(3);
    expect(await retracted()).toEqual(told.slice(0, 2));
  });

  it("and whatever else in whatever order leaves one event for each payment that stands", async () => {
    const random = randomOf(5);
    await world.mine(10);
    await jobs.settleDown();
    const events: (() => Promise<unknown>)[] = [
      () => world.settle(one(pick(random, [PAYER, OTHER])), at(WALLET), between(random, 1, 4_000)),
      () => world.mine(between(random, 1, 4)),
      async () => {
        await jobs.read();
        await world.reorg(between(random, 1, 5));
      },
      () => Promise.all([jobs.read(), jobs.read()]),
      jobs.follow,
      reread,
    ];
    for (let i = 0; i < 60; i++) await pick(random, events)();
    await world.settle(one(PAYER), at(WALLET), CENT);
    await jobs.settleDown();
    const { rows } = await db.pool.query(
      `select tx_hash as hash, units::int from offchain.income_move
       where recipient = $1 and nonce is not null and units >= ${DUST_UNITS} order by block, log_index`,
      [at(WALLET)],
    );
    const back = new Set(await retracted());
    const standing = (await paid()).filter(({ id }) => !back.has(id));
    expect(standing.map(({ txHash }) => txHash).toSorted()).toEqual(rows.map(({ hash }) => hash).toSorted());
    expect(rows.length).toBeGreaterThan(3);
    expect(back.size).toBeGreaterThan(0);
  });
});

describe("a crash", () => {
  it("before the commit leaves neither payment nor event; the next run has both, once", async () => {
    await world.settle(one(PAYER), at(WALLET), 20_000);
    await jobs.follow();
    await db.pool.query(`
      create function offchain.die() returns trigger language plpgsql as $$ begin raise exception 'killed'; end $$;
      create constraint trigger die after insert on offchain.income_mark deferrable initially deferred
        for each row execute function offchain.die()`);
    await jobs.read();
    expect((await db.pool.query("select from offchain.income_move where nonce is not null")).rowCount).toBe(0);
    expect(await log()).toEqual([]);
    await db.pool.query("drop function offchain.die() cascade");
    await db.pool.query("update offchain.income_cohort set next_try_at = null");
    await jobs.settleDown();
    expect(await amounts()).toEqual(["0.02"]);
  });
});

describe("finality", () => {
  it("comes with the first read after the block is final, and waits for that read", async () => {
    await world.settle(one(PAYER), at(WALLET), 20_000);
    await jobs.settleDown();
    await world.settle(one(PAYER), at(WALLET), 30_000);
    await jobs.read();
    const [early, late] = await paid();
    expect(await log(true)).toEqual([]);
    await db.pool.query(
      `insert into offchain.dispatcher_state (schema, settled_block) values ('index', $1)
       on conflict (one) do update set settled_block = excluded.settled_block`,
      [early!.block],
    );
    expect(await log(true)).toEqual([]);
    await world.mine(1);
    await jobs.read();
    expect((await log(true)).map(({ id, final }) => [id, final])).toEqual([[early!.id, true]]);
    await db.pool.query("update offchain.dispatcher_state set settled_block = $1", [late!.block]);
    await world.settle(one(PAYER), at(WALLET), 40_000);
    await jobs.read();
    expect((await log(true)).map(({ id }) => id)).toEqual([early!.id, late!.id]);
  });
});
