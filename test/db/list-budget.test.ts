/** Lists that SQL answers hold a few connections only: the others are for everything else. */
import { expect, it } from "vitest";
import { openPool } from "../../db/sql/connect.ts";
import { listSnapshot, setListBudget } from "../../db/sql/list-budget.ts";
import { snapshot } from "../../db/sql/transaction.ts";
import { LONG, NEVER } from "../../harness/patience.ts";
import { until } from "../../harness/until.ts";
import { testDatabase } from "../support/database.ts";
import { endedPerTest, perFile } from "../support/started.ts";

const LOCK = 77_001;
const database = perFile(testDatabase);
const ended = endedPerTest();

/** A pool of four connections, and a lock on which its lists wait until it is given up. */
async function lists(maxWaitMs: number) {
  let now = 0;
  const pool = ended(openPool({ connectionString: database.url, max: 4 }));
  setListBudget(pool, { connections: 2, maxWaitMs, clock: () => now });
  const holder = await database.pool.connect();
  await holder.query("select pg_advisory_lock($1)", [LOCK]);
  const blocked = async () =>
    (
      await database.pool.query(
        `select from pg_locks where locktype = 'advisory' and not granted
         and database = (select oid from pg_database where datname = current_database())`,
      )
    ).rowCount;
  return {
    pool,
    list: () =>
      listSnapshot(pool, async (tx) => {
        await tx.query("select pg_advisory_xact_lock_shared($1)", [LOCK]);
        return (await tx.query("show transaction_read_only")).rows[0].transaction_read_only;
      }),
    /** Resolves once so many lists are under way. */
    underWay: (count: number) => until(`${count} lists`, async () => (await blocked()) === count),
    blocked,
    pass(ms: number) {
      now += ms;
    },
    async release() {
      await holder.query("select pg_advisory_unlock($1)", [LOCK]);
      holder.release();
    },
  };
}

it("two lists at once, and beside them every other read has a connection", async () => {
  const world = await lists(LONG);
  const four = [1, 2, 3, 4].map(() => world.list());
  await world.underWay(2);
  // Two connections are free, and what is no list takes them.
  for (let i = 0; i < 4; i++) await snapshot(world.pool, (tx) => tx.query("select 1"));
  await world.pool.query("select 1");
  expect(await world.blocked()).toBe(2);
  expect(world.pool.waitingCount).toBe(0);
  await world.release();
  expect(await Promise.all(four)).toEqual(["on", "on", "on", "on"]);
});

it("who would wait too long is refused at once, and nothing else with it", async () => {
  const world = await lists(LONG);
  const under = [world.list(), world.list()];
  await world.underWay(2);
  // As many may wait as there are places, however slow.
  const waiting = [world.list(), world.list()];
  world.pass(LONG / 2 + 1_000);
  await expect(world.list()).rejects.toMatchObject({ code: "overloaded", options: { retryAfter: 1 } });
  await world.pool.query("select 1");
  await world.release();
  await Promise.all([...under, ...waiting]);
  await world.list();
});

it("nobody waits for longer than its patience, and a failed list gives its place back", async () => {
  const world = await lists(NEVER);
  const under = [world.list(), world.list()];
  await world.underWay(2);
  await expect(world.list()).rejects.toMatchObject({ code: "overloaded" });
  await world.release();
  await Promise.all(under);
  const failed = () => listSnapshot(world.pool, (tx) => tx.query("select 1 / 0"));
  for (let i = 0; i < 3; i++) await expect(failed()).rejects.toThrow("division by zero");
  expect(await world.list()).toBe("on");
});
