/** The watchdog's judgement: which answers of a node mean trouble, which mean nothing, and where a fork began. */
import { beforeEach, expect, test } from "vitest";
import { checkpoint } from "../../harness/onchain.ts";
import { checkBlockHashes, hashFrom, recordHash, recordSeenHashes } from "../../indexer/block-hashes.ts";
import { type BlockId, type Node, NodeUnavailable } from "../../indexer/node.ts";
import type { Progress } from "../../indexer/ponder-tables.ts";
import { watch } from "../../indexer/watchdog.ts";
import { testDatabase } from "../support/database.ts";
import { openLauncher } from "../support/ponder-tables.ts";
import { perTest } from "../support/started.ts";

const CHAIN = 8453;
const SCHEMA = "index_0123456789_0";

const db = perTest(() => testDatabase({ migrated: false }));
const launcher = perTest(() => openLauncher(db.url));
let chain: Chain;
let clock: number;

/** A chain of which a test may replace the blocks from some number on; two seconds a block. */
class Chain implements Node {
  head_: number;
  forkedAt = Number.POSITIVE_INFINITY;
  answers = true;
  constructor(head: number) {
    this.head_ = head;
  }
  hash(block: number): string {
    return block >= this.forkedAt ? `0xnew${block}` : `0x${block}`;
  }
  at(block: number): BlockId {
    return { block, hash: this.hash(block), at: 1_000_000 + 2 * block };
  }
  async head(): Promise<BlockId> {
    if (!this.answers) throw new NodeUnavailable("no answer");
    return this.at(this.head_);
  }
  async blockAt(block: number): Promise<BlockId | null> {
    if (!this.answers) throw new NodeUnavailable("no answer");
    return block > this.head_ ? null : this.at(block);
  }
}

const progress = (block: number, finalizedBlock: number, ready = true): Progress => ({
  block,
  at: 1_000_000 + 2 * block,
  finalizedBlock,
  finalizedAt: 1_000_000 + 2 * finalizedBlock,
  ready,
});

beforeEach(async () => {
  await db.pool.query(`
    create schema ${SCHEMA};
    create table ${SCHEMA}.index_changes (id text primary key, block bigint, block_hash text);
    create table ${SCHEMA}._ponder_meta (key text primary key, value jsonb);
    create table ${SCHEMA}._ponder_checkpoint (latest_checkpoint text, finalized_checkpoint text);
    insert into ${SCHEMA}._ponder_checkpoint values
      ('${checkpoint(1_000_220, 110)}', '${checkpoint(1_000_160, 80)}');`);
  chain = new Chain(110);
  clock = 0;
});

const noFailures = { beyondFinality: false, foreignSchema: false, last: null };
const watchdog = (failures = noFailures) =>
  watch({ db: launcher, node: chain, chainId: CHAIN, schema: SCHEMA, failures, now: () => clock });
const dog = perTest(() => watchdog());
const recorded = async () => await db.rows("select block::int, hash from onchain.block_hash order by block");

test("a calm chain raises nothing, and records no hash that the index did not see itself", async () => {
  expect(await dog.check(progress(70, 40))).toBeNull();
  expect(await dog.check(progress(110, 80))).toBeNull();
  expect(await recorded()).toEqual([]);
  expect(dog).toMatchObject({ head: 110, trouble: null, suspicious: false });
});

test("the hash of a block can change until the block is final", async () => {
  const see = (block: number, hash: string, finalized: number | null) =>
    recordSeenHashes(launcher, CHAIN, new Map([[block, hash]]), finalized);
  await see(0, "0xanother genesis", null);
  await see(80, "0xold", null);
  await see(80, "0xnew", 79);
  await see(80, "0xtoo late", 80);
  await see(81, "0xnext", 80);
  expect(await recorded()).toEqual([
    { block: 80, hash: "0xnew" },
    { block: 81, hash: "0xnext" },
  ]);
  expect(await hashFrom(launcher, CHAIN, 80)).toEqual({ block: 80, hash: "0xnew" });
  expect(await hashFrom(launcher, CHAIN, 82)).toBeNull();
});

test("an index that is being built is replaced when what it is built on is, however far it is", async () => {
  await db.pool.query(`update ${SCHEMA}._ponder_checkpoint set finalized_checkpoint = '${checkpoint(1_000_080, 40)}'`);
  for (const block of [20, 80, 110]) await recordHash(launcher, CHAIN, chain.at(block));
  chain.forkedAt = 60;
  expect(await dog.check(progress(40, 40, false))).toBeNull();
  expect(await dog.check(progress(40, 40, false))).toMatchObject({ kind: "replaced", forkBlock: 21 });
});

test("a replaced block alarms at the second check, with the fork after the last recorded block that is unchanged", async () => {
  for (const block of [20, 40, 60, 80]) await recordHash(launcher, CHAIN, chain.at(block));
  chain.forkedAt = 55;
  expect(await dog.check(progress(110, 80))).toBeNull();
  expect(dog.suspicious).toBe(true);
  expect(await dog.check(progress(110, 80))).toEqual({
    kind: "replaced",
    forkBlock: 41,
    reason: "reorg deeper than finality: block 80 was replaced",
  });
});

test("a single odd answer is forgotten", async () => {
  await recordHash(launcher, CHAIN, chain.at(80));
  chain.forkedAt = 70;
  expect(await dog.check(progress(110, 80))).toBeNull();
  chain.forkedAt = Number.POSITIVE_INFINITY;
  expect(await dog.check(progress(110, 80))).toBeNull();
  chain.forkedAt = 70;
  expect(await dog.check(progress(110, 80))).toBeNull();
});

test("a hash recorded from the new branch does not hide what Ponder saw on the old one", async () => {
  await db.pool.query(`insert into ${SCHEMA}.index_changes values ('1', 75, '0x75'), ('2', 100, '0x100')`);
  chain.forkedAt = 72;
  await recordHash(launcher, CHAIN, chain.at(80));
  await dog.check(progress(110, 80));
  expect(await dog.check(progress(110, 80))).toMatchObject({ kind: "replaced", reason: expect.stringContaining("75") });
});

test("a block that still holds outweighs a block 0 the node made anew; without one it is another chain", async () => {
  for (const block of [0, 20, 40, 80]) await recordHash(launcher, CHAIN, chain.at(block));
  const hash = chain.hash.bind(chain);
  chain.hash = (block) => (block === 0 ? "0xnew" : hash(block));
  const check = () => checkBlockHashes(launcher, chain, CHAIN, null, { genesis: true });
  expect(await check()).toEqual({ kind: "canonical" });
  // Without an index, what is final is counted from the newest recorded hash.
  chain.head_ = 30;
  expect(await check()).toEqual({ kind: "behind", block: 40 });
  chain.forkedAt = 1;
  expect(await check()).toEqual({ kind: "replaced", block: 0, forkBlock: 0 });
});

test("a node that lags behind the recorded block proves nothing, but is named", async () => {
  await recordHash(launcher, CHAIN, chain.at(80));
  chain.head_ = 60;
  for (let i = 0; i < 3; i++) expect(await dog.check(progress(110, 80))).toBeNull();
  expect(dog.trouble).toContain("has not reached block 80");
});

test("a head that is lower than finality and yet younger is another chain", async () => {
  await recordHash(launcher, CHAIN, chain.at(80));
  chain.head_ = 60;
  chain.at = (block) => ({ block, hash: chain.hash(block), at: 2_000_000 + 2 * block });
  await dog.check(progress(110, 80));
  expect(await dog.check(progress(110, 80))).toMatchObject({ kind: "replaced", forkBlock: 0 });
});

test("a node that does not answer proves nothing, and is named until it does", async () => {
  chain.answers = false;
  expect(await dog.check(progress(110, 80))).toBeNull();
  expect(dog.trouble).toBe("no answer");
  chain.answers = true;
  await dog.check(progress(110, 80));
  expect(dog.trouble).toBeNull();
});

test("an index that stands while the chain moves on is stalled after 20 s, not before", async () => {
  chain.head_ = 120;
  expect(await dog.check(progress(110, 80))).toBeNull();
  clock = 20_000;
  expect(await dog.check(progress(110, 80))).toBeNull();
  clock = 20_001;
  expect(await dog.check(progress(110, 80))).toMatchObject({ kind: "stalled" });
});

test("progress, an idle chain and a backfill are no stall", async () => {
  chain.head_ = 200;
  for (let block = 110; block < 116; block++) {
    clock += 15_000;
    expect(await dog.check(progress(block, 80))).toBeNull();
  }
  chain.head_ = 115;
  clock += 60_000;
  expect(await dog.check(progress(115, 80))).toBeNull();
  chain.head_ = 200;
  clock += 60_000;
  expect(await dog.check(progress(115, 80, false))).toBeNull();
});

test("a stall after a reorg beyond finality is a replaced chain, though the newest recorded hash is unchanged", async () => {
  for (const block of [50, 80]) await recordHash(launcher, CHAIN, chain.at(block));
  const dog = watchdog({ beyondFinality: true, foreignSchema: false, last: null });
  chain.head_ = 120;
  await dog.check(progress(110, 80));
  clock = 30_000;
  expect(await dog.check(progress(110, 80))).toMatchObject({ kind: "replaced", forkBlock: 51 });
});

test("of what is final one hash in 32 blocks is kept, 400 of them, and that of block 0 always", async () => {
  await recordHash(launcher, CHAIN, { block: 0, hash: "0x0" });
  const seen = new Map(Array.from({ length: 20_000 }, (_, i) => [i + 1, `0x${i + 1}`] as const));
  await recordSeenHashes(launcher, CHAIN, seen, null);
  await recordSeenHashes(launcher, CHAIN, new Map([[20_001, "0x20001"]]), 19_970);
  const kept = (await recorded()).map(({ block }) => block as number);
  expect(kept[0]).toBe(0);
  expect(kept.slice(-33)).toEqual([19_969, ...Array.from({ length: 32 }, (_, i) => 19_970 + i)]);
  const final = kept.filter((block) => block > 0 && block < 19_970);
  expect(final).toHaveLength(401);
  expect(final.slice(0, -1).every((block) => block % 32 === 31)).toBe(true);
});
