/** The planes of the directory: what they leave to the reader, and that nothing is missed between a fold and an answer. */
import type pg from "pg";
import { beforeEach, expect, test } from "vitest";
import { boundsOf } from "../../core/directory/filters.ts";
import { listByIndexes } from "../../db/directory/list.ts";
import { findByPlanes } from "../../db/directory/planes/find.ts";
import { foldPlanes } from "../../db/directory/planes/fold.ts";
import type { DirectoryQuery } from "../../db/directory/question-sql.ts";
import { openPool } from "../../db/sql/connect.ts";
import { snapshot } from "../../db/sql/transaction.ts";
import { testDatabase } from "../support/database.ts";
import { plantDirectory } from "../support/directory.ts";
import { perFile } from "../support/started.ts";

const ROWS = 300;
const NOW = Date.UTC(2026, 10, 21);
const QUESTIONS: Partial<DirectoryQuery>[] = [
  {},
  { sort: "name", offset: 100 },
  { sort: "name", descending: true, q: "agent" },
  { sort: "created_at", offset: 290 },
  { sort: "updated_at", descending: true },
  { filter: "x402", sort: "platform", offset: 7 },
  { filter: "new", q: "e" },
  { q: "zebra 7" },
  { q: "nobody" },
  { q: "ra" },
  { q: "a Zebra 1" },
  { q: "機" },
  { q: "0x" },
  { q: "0xa1", sort: "name" },
  { q: "0xa1b2c" },
  { q: "agent1q" },
  { platform: ["erc8004"], minScore: 30, q: "17" },
];

const db = perFile(testDatabase);
beforeEach(async () => {
  await db.pool.query("truncate offchain.directory, offchain.directory_score, offchain.directory_image cascade");
  await db.pool.query("truncate offchain.directory_plane, offchain.directory_slot");
  await plant(1, ROWS);
});

const plant = (from: number, to: number) =>
  plantDirectory(
    db.pool,
    Array.from({ length: to - from + 1 }, (_, i) => ({
      platform: i % 3 === 0 ? "erc8004" : "helixa",
      agent_id: String(from + i),
      name: `Agent ${["Nova", "Zebra", "Straße"][i % 3]} ${(from + i) % 40}`,
      cred_score: (from + i * 7) % 101,
      x402_supported: i % 4 === 0,
      address: i % 5 === 0 ? null : i % 5 === 1 ? `agent1q${i}` : `0x${["a1b2c3", "a1ffff", "000000"][i % 3]}${i}`,
      owner_address: i % 2 === 0 ? `0xa1b${i}` : null,
      created_at: new Date(NOW - (i % 12) * 86_400_000).toISOString(),
    })),
  );
const fold = () => foldPlanes(db.pool, { now: NOW, foldRows: 1 });

/** Every question by planes, equal to what indexes say in the same snapshot. */
async function equal(): Promise<void> {
  for (const question of QUESTIONS) {
    const query: DirectoryQuery = {
      ...{ filter: "all", sort: "cred_score", descending: false, offset: 0, limit: 20, now: NOW },
      ...question,
    };
    const [byPlanes, byIndexes] = await snapshot(db.pool, async (tx) => [
      await findByPlanes(tx, query, 2),
      await listByIndexes(tx, query),
    ]);
    expect(byPlanes, JSON.stringify(question)).toEqual(byIndexes);
  }
}

/** Scans of the table of scores that the session's statements have made and not reported yet. */
async function scansOfScores(tx: pg.ClientBase): Promise<number> {
  const { rows } = await tx.query(
    `select coalesce(sum(seq_scan + coalesce(idx_scan, 0)), 0)::int8 as scans from pg_stat_xact_user_tables
     where schemaname = 'offchain' and relname = 'directory_score'`,
  );
  return rows[0].scans;
}

/** Runs with a pool of its own, which stands for another process. */
async function withPool(work: (pool: pg.Pool) => Promise<void>): Promise<void> {
  const pool = openPool({ connectionString: db.url, max: 2 });
  try {
    await work(pool);
  } finally {
    await pool.end();
  }
}

const slots = async (condition: string): Promise<number> =>
  (await db.rows(`select count(*)::int8 as n from offchain.directory_slot where ${condition}`))[0].n;

test("answers are exact without a fold and after it: changed, new, removed and deleted rows, and rows that come back", async () => {
  expect(await fold()).toBe(ROWS);
  await equal();
  for (const change of [
    "update offchain.directory set cred_score = (cred_score + 13) % 101 where id % 5 = 0",
    "update offchain.directory set address = '0xZZ' || id, name = '機器 ' || id, x402_supported = not x402_supported where id % 7 = 0",
    "update offchain.directory set removed_at = now() where id % 11 = 0",
    "delete from offchain.directory where id % 13 = 0",
    "update offchain.directory set removed_at = null, name = 'Back again' where removed_at is not null",
  ]) {
    const { rowCount } = await db.pool.query(change);
    await equal();
    expect(await fold()).toBe(rowCount);
    expect(await fold()).toBe(0);
    await equal();
  }
  await plant(ROWS + 1, ROWS + 50);
  await equal();
  expect(await fold()).toBe(50);
  expect(await slots("slot is null")).toBe(0);
  await equal();
});

test("the agents of a wallet and of an owner are found without a look at the table of all scores", async () => {
  const wallet = `0x${"ab".repeat(20)}`;
  await db.pool.query("update offchain.directory set owner_address = $1 where cred_score % 10 = 1", [wallet]);
  for (const asked of [{ q: wallet }, { owner: wallet }] as Partial<DirectoryQuery>[])
    for (const descending of [true, false])
      for (const sort of ["cred_score", "name"] as const) {
        const query = {
          filter: "qualified",
          sort,
          descending,
          offset: 0,
          limit: 5,
          now: NOW,
          ...asked,
        } as DirectoryQuery;
        const [page, scans] = await snapshot(db.pool, async (tx) => {
          const before = await scansOfScores(tx);
          const page = await listByIndexes(tx, query);
          return [page, (await scansOfScores(tx)) - before];
        });
        const { from, to } = boundsOf(query, NOW).scores[0]!;
        const key = sort === "name" ? `sort_name collate "C"` : "cred_score";
        const { rows } = await db.pool.query(
          `select id::int8 as id from offchain.directory where owner_address = $1 and cred_score between $2 and $3
           order by ${key} ${descending ? "desc" : "asc"}, id`,
          [wallet, from, to],
        );
        expect(rows.length).toBeGreaterThan(5);
        expect(page).toEqual({ total: rows.length, ids: rows.slice(0, 5).map(({ id }) => id) });
        expect(scans).toBe(0);
      }
});

test("a transaction that commits after the fold that did not see it is not missed", async () => {
  const late = await db.pool.connect();
  try {
    await late.query("begin");
    await late.query("update offchain.directory set cred_score = 99, name = 'Late' where id % 9 = 0");
    await fold();
    await equal();
    await late.query("commit");
  } finally {
    late.release();
  }
  await equal();
  expect(await fold()).toBeGreaterThan(0);
  await equal();
});

test("rows that fit into no slot are found all the same: ids between others, times before 1970, unknown registries", async () => {
  const { rows } = await db.pool.query("select nextval('offchain.directory_id_seq')::int8 as next");
  const give = (id: number) => db.pool.query("select setval('offchain.directory_id_seq', $1)", [id]);
  await give(rows[0].next + 1_000);
  await plant(ROWS + 6, ROWS + 6);
  await fold();
  await give(rows[0].next);
  await plant(ROWS + 1, ROWS + 5);
  await db.pool.query(
    "update offchain.directory set created_at = '1960-05-05' where agent_id = '5'; update offchain.directory set platform = 'elsewhere' where agent_id = '6'",
  );
  await equal();
  await fold();
  expect(await slots("slot is null and loose")).toBe(5);
  expect(await slots("slot is not null and loose")).toBe(2);
  await equal();
});

const noPlanes = async (): Promise<void> => {
  const query: DirectoryQuery = { filter: "all", sort: "name", descending: false, offset: 0, limit: 5, now: NOW };
  expect(await snapshot(db.pool, (tx) => findByPlanes(tx, query))).toBeUndefined();
};

test("planes that a dump of another server brought are not read but built anew", async () => {
  await fold();
  await db.pool.query("update offchain.directory_image set seen_xmax = '9000000000000000'");
  await noPlanes();
  expect(await fold()).toBe(ROWS);
  await equal();
});

test("of workers with two layouts those that started later have the planes, until nobody folds theirs any more", async () => {
  await fold();
  await db.pool.query("update offchain.directory_image set layout = 'another'");
  await noPlanes();
  for (const minutes of [0, 1, 19])
    expect(await foldPlanes(db.pool, { now: NOW + minutes * 60_000, foldRows: 1 })).toBe(0);
  await noPlanes();
  await withPool(async (startedLater) => {
    expect(await foldPlanes(startedLater, { now: NOW, foldRows: 1 })).toBe(ROWS);
    await equal();
    await db.pool.query("update offchain.directory_image set layout = 'another'");
    expect(await foldPlanes(startedLater, { now: NOW, foldRows: 1 })).toBe(0);
  });
  expect(await foldPlanes(db.pool, { now: NOW + 20 * 60_000, foldRows: 1 })).toBe(ROWS);
  await equal();
});

test("a build that fails is tried again after 6 s, then after twice as long each time, and at once after a success", async () => {
  await withPool(async (pool) => {
    let now = NOW;
    const attempt = () => foldPlanes(pool, { now, foldRows: 1 });
    await db.pool.query("alter table offchain.directory_slot rename to directory_slot_away");
    for (const seconds of [6, 12, 24, 48, 96, 192, 384, 768, 1_536, 1_800, 1_800]) {
      await expect(attempt()).rejects.toThrow("directory_slot");
      now += seconds * 1_000 - 1;
      expect(await attempt()).toBe(0);
      now += 1;
    }
    await db.pool.query("alter table offchain.directory_slot_away rename to directory_slot");
    expect(await attempt()).toBe(ROWS);
    await db.pool.query("update offchain.directory set cred_score = 7 where id % 30 = 0");
    expect(await attempt()).toBe(10);
  });
  await equal();
});

test("few changes wait for more, and one process folds at a time", async () => {
  await fold();
  await db.pool.query("update offchain.directory set cred_score = 7 where id % 30 = 0");
  expect(await foldPlanes(db.pool, { now: NOW + 1_000 })).toBe(0);
  const other = await db.pool.connect();
  try {
    await other.query("begin");
    await other.query("select pg_advisory_xact_lock(hashtextextended('directory planes', 0))");
    expect(await fold()).toBe(0);
    await other.query("rollback");
  } finally {
    other.release();
  }
  expect(await foldPlanes(db.pool, { now: NOW + 3_600_000 })).toBe(10);
  await equal();
});
