/** The state of the served index as API and workers see it. */
import { expect, test } from "vitest";
import { NOT_INDEXED, readIndexState, trackIndexedBlock } from "../../db/operations/index-state.ts";
import { checkpoint, plantCheckpoint, plantOnchain } from "../../harness/onchain.ts";
import { LONG, NEVER } from "../../harness/patience.ts";
import { until } from "../../harness/until.ts";
import { testDatabase } from "../support/database.ts";
import { endedPerTest, perTest } from "../support/started.ts";

const db = perTest(() => testDatabase({ migrated: false }));
const ended = endedPerTest();

test("before the first index there is none, and no error", async () => {
  expect(await readIndexState(db.pool)).toEqual(NOT_INDEXED);
  await db.pool.query("create schema onchain");
  expect(await readIndexState(db.pool)).toEqual(NOT_INDEXED);
});

test("a role without the right to read sees no index, not an error", async () => {
  await plantOnchain(db.pool);
  const client = await db.pool.connect();
  await client.query("begin");
  await client.query("create role nobody_in_particular");
  await client.query("set local role nobody_in_particular");
  expect(await readIndexState(client)).toEqual(NOT_INDEXED);
  await client.query("rollback");
  client.release();
});

test("block, time and finality come out of the checkpoint", async () => {
  await plantOnchain(db.pool);
  await plantCheckpoint(db.pool, { block: 42_254_123, finalized: 42_254_090, at: 1_790_000_000 });
  expect(await readIndexState(db.pool)).toEqual({
    ready: true,
    schema: "index_test_0",
    generation: 0,
    retainedView: false,
    stale: false,
    reason: null,
    indexedBlock: 42_254_123,
    indexedAt: 1_790_000_000,
    finalizedBlock: 42_254_090,
  });
});

test("the tracker follows notifications long before its poll", async () => {
  await plantOnchain(db.pool);
  const tracker = ended(await trackIndexedBlock(db.url, { pollMs: LONG }));
  expect(tracker.block).toBe(1000);
  await plantCheckpoint(db.pool, { block: 1002, finalized: 900 });
  await plantCheckpoint(db.pool, { block: 1003, finalized: 900 });
  await until("block 1003", () => tracker.block === 1003);
});

test("the tracker takes a block of the served index from its notification, and reads the state at any other", async () => {
  await plantOnchain(db.pool);
  const tracker = ended(await trackIndexedBlock(db.url, { pollMs: LONG }));
  const announce = (payload: string) => db.pool.query("select pg_notify('onchain', $1)", [payload]);
  await announce("index_test_0 1005 1790000000 905");
  await until("what no table says", () => tracker.block === 1005);
  expect(tracker.state).toMatchObject({ indexedAt: 1_790_000_000, finalizedBlock: 905 });
  await announce("index_other_0 1007 1790000000 907");
  await until("what the table says", () => tracker.block === 1000);
});

test("the tracker's poll finds what nobody announced", async () => {
  const tracker = ended(await trackIndexedBlock(db.url, { pollMs: 20 }));
  expect(tracker.state).toEqual(NOT_INDEXED);
  expect(tracker.block).toBe(-1);
  await plantOnchain(db.pool);
  await db.pool.query("update onchain.index_state set stale = true, reason = 'a reorg'");
  await until("stale seen", () => tracker.state.stale);
  expect(tracker.state.reason).toBe("a reorg");
});

test("waiting for a block that does not come ends with false, and at once with true for one that is there", async () => {
  await plantOnchain(db.pool);
  const tracker = ended(await trackIndexedBlock(db.url));
  expect(await tracker.waitFor(1001, NEVER)).toBe(false);
  expect(await tracker.waitFor(1000, 0)).toBe(true);
});

test("who waits for a block that nobody announces has it long before the next poll", async () => {
  await plantOnchain(db.pool);
  const tracker = ended(await trackIndexedBlock(db.url, { pollMs: LONG }));
  const waiting = tracker.waitFor(1003, LONG);
  await db.pool.query("update onchain._ponder_checkpoint set latest_checkpoint = $1", [checkpoint(1, 1003)]);
  expect(await waiting).toBe(true);
});

test("a rollback is followed downwards", async () => {
  await plantOnchain(db.pool);
  const tracker = ended(await trackIndexedBlock(db.url, { pollMs: 20 }));
  await plantCheckpoint(db.pool, { block: 995, finalized: 900 });
  await until("block 995", () => tracker.block === 995);
});

test("listeners hear every change until they leave", async () => {
  await plantOnchain(db.pool);
  const tracker = ended(await trackIndexedBlock(db.url, { pollMs: 20 }));
  const heard: (number | null)[] = [];
  const leave = tracker.onChange((state) => heard.push(state.indexedBlock));
  await plantCheckpoint(db.pool, { block: 1001, finalized: 900, at: 1 });
  await until("1001 heard", () => heard.includes(1001));
  leave();
  await plantCheckpoint(db.pool, { block: 1002, finalized: 900, at: 2 });
  await until("1002 tracked", () => tracker.block === 1002);
  expect(heard).toEqual([1001]);
});

test("a lost connection ages the last state and heals by itself", async () => {
  await plantOnchain(db.pool);
  const tracker = ended(await trackIndexedBlock(db.url, { pollMs: 20 }));
  await db.pool.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'index-tracker'",
  );
  await plantCheckpoint(db.pool, { block: 1010, finalized: 900 });
  await until("block 1010 after the reconnect", () => tracker.block === 1010);
  expect(tracker.age).toBeLessThan(60_000);
});
