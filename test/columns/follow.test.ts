/** What is in memory follows the database: commits in any order, reorganisations, switched views, restarts, and the times without. */
import { join } from "node:path";
import type pg from "pg";
import { afterEach, describe, expect, test } from "vitest";
import { MemoryBudget } from "../../columns/memory-budget.ts";
import { listAgents } from "../../db/lists/agent-list-sql.ts";
import { type AgentList, type AgentListOptions, type AgentQuery, openAgentList } from "../../db/lists/agents.ts";
import { migrate } from "../../db/schema/migrate.ts";
import { openPool } from "../../db/sql/connect.ts";
import { type Postgres, removePostgres, startPostgres } from "../../devnet/postgres.ts";
import { plantCheckpoint, plantOnchain } from "../../harness/onchain.ts";
import { LONG, NEVER } from "../../harness/patience.ts";
import { until } from "../../harness/until.ts";
import { testDatabase } from "../support/database.ts";
import { folderOfTest } from "../support/folders.ts";
import { deepIt } from "../support/share.ts";
import { perTest } from "../support/started.ts";
import { plainAgent, settled, writeAgents, writeScores } from "./support.ts";

const QUERY: AgentQuery = { sort: "credScore", order: "desc", limit: 100, position: { offset: 0 } };

const db = perTest(testDatabase);
let list: AgentList | undefined;
afterEach(async () => {
  await list?.close();
  list = undefined;
});

async function follow(options: Partial<AgentListOptions> = {}): Promise<AgentList> {
  list = openAgentList({ url: db.url, db: db.pool, pollMs: 50, ...options });
  await until("the columns are loaded", () => list!.ready);
  return list;
}

async function plant(agents = 20) {
  await plantOnchain(db.pool, { block: 1000, finalized: 900 });
  await writeAgents(
    db.pool,
    Array.from({ length: agents }, (_, tokenId) => plainAgent(tokenId)),
  );
}

const names = async (search: string) =>
  (await list!.list({ ...QUERY, sort: "tokenId", order: "asc", search })).tokenIds;
const best = async () => (await list!.list({ ...QUERY, limit: 1 })).tokenIds[0];

describe("scores", () => {
  test("are seen when they commit, whichever transaction began first, and each once", async () => {
    await plant();
    await follow();
    const slow = await db.pool.connect();
    try {
      await slow.query("begin");
      await writeScores(slow, [[3, 90]]);
      await writeScores(db.pool, [[4, 50]]);
      await until("the later transaction is seen", async () => (await best()) === 4);
      await writeScores(db.pool, [[5, 60]]);
      await until("and the one after it", async () => (await best()) === 5);
      await settled(list!);
      await settled(list!);
      expect(list!.stats().rowsRead).toBe(2);
      await slow.query("commit");
      await until("the earlier transaction is seen", async () => (await best()) === 3);
      // A score that is written again as it was is no change.
      await writeScores(db.pool, [[3, 90]]);
      await settled(list!);
      await settled(list!);
      expect(list!.stats().rowsRead).toBe(3);
    } finally {
      slow.release();
    }
  });

  test("of more agents than can be applied at once are all seen", async () => {
    await plant(3000);
    await follow();
    await writeScores(
      db.pool,
      Array.from({ length: 3000 }, (_, id) => [id, id % 101] as const),
    );
    await settled(list!);
    const query = { ...QUERY, limit: 1000, position: { offset: 700 } };
    expect(await list!.list(query)).toEqual(await listAgents(db.pool, query));
    expect(list!.stats().loads).toBe(1);
  });
});

describe("blocks", () => {
  test("are not followed one by one without readers, and the next readers see all of them", async () => {
    await plant();
    await follow({ pollMs: 1, idleAfterMs: 0 });
    const before = list!.stats().syncs;
    for (let block = 1001; block <= 1040; block++) await plantCheckpoint(db.pool, { block, finalized: 900 });
    await writeScores(db.pool, [[3, 90]]);
    // Without readers it looks every ten seconds.
    expect(list!.stats().syncs - before).toBeLessThan(20);
    await until("the next readers see all", async () => (await best()) === 3 && list!.block === 1040);
  });

  test("bring agents, and an answer that must hold one is never older", async () => {
    await plant();
    await follow({ pollMs: LONG });
    await writeAgents(db.pool, [plainAgent(20, { name: "Newcomer", updatedBlock: 1001 })]);
    await db.pool.query(
      "update onchain._ponder_checkpoint set latest_checkpoint = replace(latest_checkpoint, '1000', '1001')",
    );
    expect(list!.block).toBe(1000);
    expect((await list!.list({ ...QUERY, search: "newcomer" }, 1001)).tokenIds).toEqual([20]);
    await plantCheckpoint(db.pool, { block: 1001, finalized: 900 });
    expect(await list!.waitFor(1001, LONG)).toBe(true);
    expect(await names("newcomer")).toEqual([20]);
    expect(await list!.waitFor(1002, NEVER)).toBe(false);
  });

  test("that replace others at the same height take back what those did", async () => {
    await plant();
    await follow();
    await writeAgents(db.pool, [
      plainAgent(1, { name: "Renamed", points: "7", updatedBlock: 1001 }),
      plainAgent(20, { name: "Minted and gone", updatedBlock: 1001 }),
      plainAgent(21, { name: "Minted twice", updatedBlock: 1001 }),
    ]);
    await plantCheckpoint(db.pool, { block: 1001, finalized: 900 });
    await until("the block is seen", async () => (await names("minted")).length === 2);
    expect(await names("renamed")).toEqual([1]);
    // The other branch reaches the same height before anybody looks: no block number tells.
    await db.pool.query("begin; delete from onchain.agent where token_id = 20; commit");
    await writeAgents(db.pool, [plainAgent(1), plainAgent(21, { name: "Other", updatedBlock: 1001 })]);
    await until("the other branch is seen", async () => (await names("minted")).length === 0);
    expect(await names("renamed")).toEqual([]);
    expect(await names("number 1")).toContain(1);
    expect(await names("other")).toEqual([21]);
    const all = { ...QUERY, sort: "points", order: "asc" } as const;
    expect(await list!.list(all)).toEqual(await listAgents(db.pool, all));
  });

  test("below the finalized one are looked at no more", async () => {
    await plant();
    await follow();
    await writeAgents(db.pool, [plainAgent(20, { updatedBlock: 1001 })]);
    await plantCheckpoint(db.pool, { block: 1050, finalized: 1040 });
    await settled(list!, 1_200);
    const { rowsRead } = list!.stats();
    await settled(list!, 1_200);
    expect(list!.stats().rowsRead).toBe(rowsRead);
  });
});

test("a switch to another index loads everything anew, while lists go on", async () => {
  await plant();
  await follow();
  await db.pool.query(`
    begin;
    update onchain.agent set name = 'Of the new index ' || token_id, updated_block = 100;
    update onchain.index_state set schema = 'index_test_1';
    commit;
    select pg_notify('onchain', '1000')`);
  await until("the new index is in memory", async () => {
    expect(list!.ready).toBe(true);
    return (await names("of the new index")).length === 20;
  });
  expect(list!.stats()).toMatchObject({ phase: "ready", loads: 2 });
});

test("what no feed tells is found by the totals, and loaded anew", async () => {
  await plant();
  await writeScores(db.pool, [[7, 70]]);
  await follow({ checkMs: 100 });
  expect(await best()).toBe(7);
  await settled(list!, 300);
  expect(list!.stats().loads).toBe(1);
  await db.pool.query("delete from offchain.cred");
  await until("the table is loaded anew", () => list!.ready && list!.stats().loads === 2);
  expect(await best()).toBe(0);
});

test("before there is an index memory waits, and SQL says that there is none", async () => {
  list = openAgentList({ url: db.url, db: db.pool, pollMs: 20 });
  await expect(list.list(QUERY)).rejects.toMatchObject({ code: "42P01" });
  await plant();
  // Memory may be loaded between the index and its agents: then its feed brings them.
  const has20 = async () => (await list!.list(QUERY)).total === 20;
  await until("all agents are listed", has20);
  await until("the columns are loaded", () => list!.ready);
  await until("memory has all of them", has20);
});

test("a table beyond its cap stays in the database, where its lists are answered", async () => {
  await plant();
  const warnings: string[] = [];
  const log = { info: () => {}, warn: (_: object, message: string) => void warnings.push(message) };
  list = openAgentList({ url: db.url, db: db.pool, memory: new MemoryBudget(1000), log });
  await until("it is found too large", () => list!.stats().phase === "too large");
  expect(warnings).toHaveLength(1);
  expect(list).toMatchObject({ ready: false, block: -1 });
  expect((await list.list(QUERY)).total).toBe(20);
});

/** A server that a test may end, with three agents; `start` starts it again, where it was or at any port. */
type OwnServer = { url: string; pool: pg.Pool; server: Postgres; start(at?: { port: number }): Promise<Postgres> };

async function onOwnServer(work: (own: OwnServer) => Promise<void>): Promise<void> {
  const options = { dataDir: join(folderOfTest("columns"), "pg"), fast: true };
  const first = await startPostgres(options);
  const pool = openPool({ connectionString: first.url });
  const own: OwnServer = {
    ...{ url: first.url, pool, server: first },
    start: async (at) => (own.server = await startPostgres({ ...options, ...at })),
  };
  try {
    await migrate(own.url);
    await plantOnchain(pool, { block: 1000, finalized: 900 });
    await writeAgents(pool, [plainAgent(0), plainAgent(1), plainAgent(2)]);
    await work(own);
  } finally {
    await list?.close();
    await pool.end();
    await own.server.stop();
    await removePostgres(options.dataDir);
  }
}

deepIt("a server that has crashed is read anew: it may have lost commits, whose transaction ids it gives again", () =>
  onOwnServer(async ({ url, pool, server, start }) => {
    await writeScores(pool, [[1, 70]]);
    await pool.query("checkpoint");
    list = openAgentList({ url, db: pool, pollMs: 20, maxAgeMs: LONG });
    await until("the columns are loaded", () => list!.ready);
    process.kill(server.pid, "SIGKILL");
    await until("the loss is noticed", () => list!.stats().error !== null);
    // Where the table does not follow it, so that it sees the change only after the crash.
    const crashed = await start();
    const elsewhere = openPool({ connectionString: crashed.url, max: 1 });
    await elsewhere.query("alter table offchain.cred disable trigger cred_mark_change");
    await elsewhere.query("update offchain.cred set score = 10 where token_id = 1");
    await elsewhere.query("alter table offchain.cred enable trigger cred_mark_change");
    await elsewhere.end();
    await crashed.stop();
    await start({ port: server.port });
    await until("the score is the one after the crash", async () => {
      const { ageMs } = list!.stats();
      return ageMs !== null && ageMs < 1_000 && (await best()) !== 1;
    });
    expect(list!.stats()).toMatchObject({ loads: 2, error: null });
  }),
);

deepIt("a lost connection and a restarted server lose no change", () =>
  onOwnServer(async ({ url, pool, server, start }) => {
    list = openAgentList({ url, db: pool, pollMs: 20, maxAgeMs: LONG });
    await until("the columns are loaded", () => list!.ready);
    await pool.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'table-follow'",
    );
    await writeScores(pool, [[1, 70]]);
    await until("a change is seen on a new connection", async () => (await best()) === 1);
    await server.stop();
    await until("the loss is noticed", () => list!.stats().error !== null);
    expect(await best()).toBe(1);
    await start({ port: server.port });
    await writeScores(pool, [[2, 80]]);
    await until("a change is seen on the new server", async () => (await best()) === 2);
    expect(list!.stats()).toMatchObject({ loads: 1, error: null });
  }),
);
