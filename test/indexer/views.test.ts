/** The launcher's switches of views: whole, while readers read, and never losing a grant. */
import { expect, test } from "vitest";
import { openClient } from "../../db/sql/connect.ts";
import { ADVISORY_LOCKS } from "../../db/sql/locks.ts";
import { checkpoint } from "../../harness/onchain.ts";
import { until } from "../../harness/until.ts";
import { startNextGeneration } from "../../indexer/block-hashes.ts";
import { pruneSchemas, publishIndex, readServed, recordState, retainIndex } from "../../indexer/views.ts";
import { testDatabase } from "../support/database.ts";
import { openLauncher, PONDER_CHECKPOINT, PONDER_SYNC_DDL } from "../support/ponder-tables.ts";
import { perTest } from "../support/started.ts";

const db = perTest(() => testDatabase({ migrated: false }));
const launcher = perTest(() => openLauncher(db.url));

/** A schema as Ponder leaves it, as far as the launcher looks at it. */
async function plantIndex(schema: string, { agents = 3, block = 100, extraColumn = false } = {}): Promise<void> {
  await db.pool.query(`
    create schema "${schema}";
    create table "${schema}".agent (token_id bigint primary key, name text not null ${extraColumn ? ", colour text" : ""});
    create index agent_name_idx on "${schema}".agent (name);
    create table "${schema}".index_changes (id text primary key, block bigint, block_hash text);
    create table "${schema}"._reorg__agent (operation_id int primary key);
    create table "${schema}"._ponder_meta (key text primary key, value jsonb not null);
    create table "${schema}".${PONDER_CHECKPOINT};
    insert into "${schema}".agent (token_id, name) select i, 'agent ' || i from generate_series(0, ${agents - 1}) i;
    insert into "${schema}"._ponder_checkpoint values
      ('base', 8453, '${checkpoint(1, block)}', '${checkpoint(1, block)}', '${checkpoint(1, block)}');`);
}

const prune = async (keep: string) => pruneSchemas(launcher, keep, await readServed(launcher));
const agents = async () => (await db.rows("select count(*)::int as n from onchain.agent"))[0].n;

test("publishing shows the tables of the index, and none of Ponder's but the checkpoint", async () => {
  await plantIndex("index_0123456789_0");
  await publishIndex(launcher, "index_0123456789_0");
  const { rows } = await db.pool.query("select viewname from pg_views where schemaname = 'onchain' order by 1");
  expect(rows.map((row) => row.viewname)).toEqual(["_ponder_checkpoint", "agent", "index_changes"]);
  expect(await agents()).toBe(3);
  expect(await readServed(launcher)).toMatchObject({ schema: "index_0123456789_0", serves: "index_0123456789_0" });
});

test("a block with changes is announced, and a change of finality; any other wakes nobody", async () => {
  const schema = "index_0123456789_0";
  await plantIndex(schema);
  const heard: string[] = [];
  const listener = openClient({ connectionString: db.url });
  await listener.connect();
  await listener.query("listen onchain");
  listener.on("notification", ({ payload }) => heard.push(payload ?? ""));
  await publishIndex(launcher, schema);
  const block = (number: number, change: string, finalized = 100) =>
    db.pool.query(`begin; ${change};
      update ${schema}._ponder_checkpoint set latest_checkpoint = '${checkpoint(number, number)}',
        finalized_checkpoint = '${checkpoint(1, finalized)}';
      commit`);
  await block(101, `insert into ${schema}.agent values (100, 'new')`);
  await block(102, "select");
  await block(103, `update ${schema}.agent set name = 'changed' where token_id = 100`);
  await block(104, "select");
  await block(105, "select", 101);
  await block(106, `insert into ${schema}.index_changes values ('x', 106, '0x')`);
  await until("block 106 announced", () => heard.at(-1)?.includes(" 106 ") === true);
  expect(heard).toEqual([
    "100",
    ...["101 101 100", "103 103 100", "105 105 101", "106 106 100"].map((at) => `${schema} ${at}`),
  ]);
  await listener.end();
});

test("a reader that has seen the checkpoint holds up nobody who rolls the index back", async () => {
  await plantIndex("index_0123456789_0");
  await publishIndex(launcher, "index_0123456789_0");
  const [reader, ponder] = [await db.pool.connect(), await db.pool.connect()];
  const seen = async () => (await reader.query("select latest_checkpoint as at from onchain._ponder_checkpoint")).rows;
  await reader.query("begin");
  expect(await seen()).toEqual([{ at: checkpoint(1, 100) }]);
  // What Ponder does in a reorganisation: its triggers go from every table, and from its checkpoint last.
  await ponder.query("begin; set local lock_timeout = '5s'");
  await ponder.query("lock table index_0123456789_0._ponder_checkpoint in access exclusive mode");
  await ponder.query(`update index_0123456789_0._ponder_checkpoint set latest_checkpoint = $1`, [checkpoint(2, 99)]);
  expect(await seen()).toEqual([{ at: checkpoint(1, 100) }]);
  await ponder.query("commit");
  expect(await seen()).toEqual([{ at: checkpoint(2, 99) }]);
  await reader.query("commit");
  for (const client of [reader, ponder]) client.release();
});

test("a retained copy has rows, keys and indexes of its own, and outlives what happens to the index", async () => {
  await plantIndex("index_0123456789_0");
  await publishIndex(launcher, "index_0123456789_0");
  await retainIndex(launcher, "index_0123456789_0");
  await db.pool.query("delete from index_0123456789_0.agent where token_id > 0");
  expect(await agents()).toBe(3);
  const state = await readServed(launcher);
  expect(state).toMatchObject({ schema: "index_0123456789_0", retainedView: true });
  const { rows } = await db.pool.query("select indexname from pg_indexes where schemaname = $1 order by 1", [
    state.serves,
  ]);
  expect(rows.map((row) => row.indexname)).toEqual([
    "_ponder_checkpoint_pkey",
    "agent_name_idx",
    "agent_pkey",
    "index_changes_pkey",
  ]);
  await publishIndex(launcher, "index_0123456789_0");
  expect(await agents()).toBe(1);
  expect(await prune("index_0123456789_0")).toEqual([state.serves]);
});

test("an index with other columns replaces the views, and the role app may read them at once", async () => {
  await plantIndex("index_0123456789_0");
  await plantIndex("index_abcdef0123_0", { agents: 5, extraColumn: true });
  await publishIndex(launcher, "index_0123456789_0");
  await publishIndex(launcher, "index_abcdef0123_0");
  const client = await db.pool.connect();
  await client.query("begin; set local role app");
  expect((await client.query("select colour from onchain.agent")).rowCount).toBe(5);
  expect((await client.query("select stale from onchain.index_state")).rowCount).toBe(1);
  await expect(client.query("delete from onchain.agent")).rejects.toThrow(/permission denied/);
  await client.query("rollback");
  client.release();
  expect(await prune("index_abcdef0123_0")).toEqual(["index_0123456789_0"]);
});

test("a reader in the middle of a transaction delays the switch, and is not disturbed by it", async () => {
  await plantIndex("index_0123456789_0");
  await plantIndex("index_abcdef0123_0", { agents: 5 });
  await publishIndex(launcher, "index_0123456789_0");
  const reader = await db.pool.connect();
  await reader.query("begin isolation level repeatable read");
  expect((await reader.query("select * from onchain.agent")).rowCount).toBe(3);
  const switched = publishIndex(launcher, "index_abcdef0123_0");
  await until("the switch waits for its locks", async () => {
    const { rows } = await db.pool.query(
      "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    return rows.length > 0;
  });
  expect((await reader.query("select * from onchain.agent")).rowCount).toBe(3);
  await reader.query("commit");
  reader.release();
  await switched;
  expect(await agents()).toBe(5);
});

test("schemas of a build that another launcher runs, and of strangers, are not pruned", async () => {
  await plantIndex("index_0123456789_0");
  await plantIndex("index_abcdef0123_0");
  await db.pool.query("create schema index_of_books; create schema holding");
  const other = openClient({ connectionString: db.url });
  await other.connect();
  await other.query("select pg_advisory_lock($1, hashtext('index_abcdef0123'))", [ADVISORY_LOCKS.indexBuild]);
  expect(await prune("")).toEqual(["index_0123456789_0"]);
  await other.end();
  await until("the lock is free", async () => (await prune("")).includes("index_abcdef0123_0"));
});

test("staleness is announced", async () => {
  let heard = 0;
  const listener = openClient({ connectionString: db.url });
  await listener.connect();
  await listener.query("listen onchain");
  listener.on("notification", () => heard++);
  await recordState(launcher, { stale: true, reason: "a deep reorg" });
  await until("announced", () => heard === 1);
  expect(await readServed(launcher)).toMatchObject({ stale: true, reason: "a deep reorg" });
  await listener.end();
});

test("blocks with changes are announced on both channels, in the order of commits", async () => {
  await plantIndex("index_0123456789_0");
  await publishIndex(launcher, "index_0123456789_0");
  const heard: string[] = [];
  const listener = openClient({ connectionString: db.url });
  await listener.connect();
  listener.on("notification", ({ channel }) => heard.push(channel));
  await listener.query("listen onchain; listen index_changes");
  const commit = (number: number, changes: string) =>
    db.pool.query(`
      begin;
      ${changes};
      update index_0123456789_0._ponder_checkpoint set latest_checkpoint = '${checkpoint(number, number)}';
      commit`);
  await commit(101, "");
  await commit(102, "insert into index_0123456789_0.index_changes values ('1', 102, '0x'), ('2', 102, '0x')");
  await commit(103, "delete from index_0123456789_0.index_changes");
  await until("all are announced", () => heard.length === 4);
  expect(heard).toEqual(["index_changes", "onchain", "index_changes", "onchain"]);
  await listener.end();
});

test("the next generation forgets the cache from the fork on, in ranges Ponder can read", async () => {
  await db.pool.query(`
    ${PONDER_SYNC_DDL}
    insert into ponder_sync.intervals values
      ('across', 8453, nummultirange(numrange(0, 101, '[]'))),
      ('from', 8453, nummultirange(numrange(50, 101, '[]'))),
      ('two', 8453, nummultirange(numrange(0, 11, '[]'), numrange(60, 101, '[]'))),
      ('other', 1, nummultirange(numrange(0, 101, '[]')));
    insert into ponder_sync.blocks select 8453, generate_series(0, 100);
    insert into ponder_sync.rpc_request_results values (8453, 49), (8453, 50), (8453, null), (1, 60);
    insert into onchain.block_hash values (8453, 0, '0x0'), (8453, 49, '0x1'), (8453, 70, '0x2');`);
  expect(await startNextGeneration(launcher, 8453, 50)).toBe(1);
  const intervals = await db.pool.query("select fragment_id, blocks::text from ponder_sync.intervals");
  expect(Object.fromEntries(intervals.rows.map((row) => [row.fragment_id, row.blocks]))).toEqual({
    across: "{[0,50]}",
    from: "{}",
    two: "{[0,11]}",
    other: "{[0,101]}",
  });
  const [blocks, reads, hashes] = await Promise.all(
    [
      "select max(number)::int as n from ponder_sync.blocks",
      "select chain_id::int, block_number::int from ponder_sync.rpc_request_results order by 1, 2",
      "select block::int as n from onchain.block_hash order by 1",
    ].map(async (sql) => await db.rows(sql)),
  );
  expect(blocks).toEqual([{ n: 49 }]);
  expect(reads).toEqual([
    { chain_id: 1, block_number: 60 },
    { chain_id: 8453, block_number: 49 },
  ]);
  expect(hashes).toEqual([{ n: 0 }, { n: 49 }]);
});
