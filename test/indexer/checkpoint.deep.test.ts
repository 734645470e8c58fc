/** An index that begins with a checkpoint: the rows of one from zero, then and later; and every checkpoint that is not what it says. */
import { createHash } from "node:crypto";
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { pino } from "pino";
import { numberToHex } from "viem";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { createReceiptSigner } from "../../clients/signer.ts";
import { loadConfig } from "../../config/config.ts";
import { type CheckpointContent, checkpointFile, readCheckpoint } from "../../core/snapshots/checkpoint.ts";
import { MANIFEST_FILE, snapshotDigest } from "../../core/snapshots/manifest.ts";
import { readIndexState } from "../../db/operations/index-state.ts";
import { dumpIndex } from "../../harness/dump-index.ts";
import { scratchDirectory } from "../../harness/scratch.ts";
import type { Rule } from "../../harness/strict-node/rules.ts";
import { startStrictNode } from "../../harness/strict-node/strict-node.ts";
import { until } from "../../harness/until.ts";
import { FINALITY_BLOCKS } from "../../indexer/block-hashes.ts";
import { launchIndexer } from "../../indexer/launcher.ts";
import { LaunchError } from "../../indexer/schema-name.ts";
import { type TestDatabase, testDatabase } from "../support/database.ts";
import { type IndexerProcess, indexWorld, someone } from "../support/index-world.ts";
import { perFile } from "../support/started.ts";
import { randomHistory, runHistory } from "./support/random-history.ts";

const KEY = numberToHex(5, { size: 32 });
const signer = createReceiptSigner(KEY);
const stranger = createReceiptSigner(numberToHex(6, { size: 32 }));
/** One of those whom the histories are about. */
const alice = someone(101);

const world = perFile(indexWorld);
/** Where no checkpoint is taken. */
const empty = perFile(testDatabase);
const folder = scratchDirectory("checkpoints");
afterAll(() => rmSync(folder, { recursive: true, force: true }));
/** The checkpoint's own folder, and its block. */
let made: string;
let block: number;
let build: string;
let following: TestDatabase;
let follower: IndexerProcess;

/** Blocks with every kind of act. */
async function live(seed: number): Promise<void> {
  const [history] = fc.sample(randomHistory(12), { numRuns: 1, seed });
  await runHistory(world, history!);
}

beforeAll(async () => {
  await live(17);
  await world.mint(alice, "Final");
  await world.mineBlocks(FINALITY_BLOCKS + 5);
  world.startIndexer();
  await world.settle();
  // Rows above the final block are new, changed and gone while the checkpoint is made.
  await live(18);
  await world.settle();
});

/** Makes a checkpoint of the world's index by the command. */
async function makeCheckpoint(): Promise<void> {
  const words = ["--make-checkpoint", folder];
  const making = world.startIndexer({ env: { RECEIPT_SIGNER_PRIVATE_KEY: KEY }, words });
  expect([await making.ended, making.output()]).toEqual([0, expect.stringContaining(`signed by ${signer.address}`)]);
  const [, id] = /^(checkpoint-\d+) is in /m.exec(making.output())!;
  made = join(folder, id!);
  ({ block, build } = readCheckpoint(readFileSync(join(made, MANIFEST_FILE), "utf8"))!);
}

/** Tables, keys, indexes and triggers of the index that is served. */
async function shapeOf(db: TestDatabase) {
  const { schema } = await readIndexState(db.pool);
  const rows = await world.rows(
    `select indexdef as what from pg_indexes where schemaname = $1
     union all select pg_get_triggerdef(t.oid) || t.tgenabled::text from pg_trigger t join pg_class c on c.oid = t.tgrelid
     where not t.tgisinternal and c.relnamespace = $1::text::regnamespace order by 1`,
    [schema],
    db,
  );
  return { schema, rows };
}

async function expectSame(...dbs: TestDatabase[]): Promise<void> {
  for (const db of [world.database, ...dbs]) await world.settle(db);
  const dump = await dumpIndex(world.database);
  expect(dump.agent!.length).toBeGreaterThan(5);
  for (const db of dbs) {
    expect(await dumpIndex(db)).toEqual(dump);
    expect(await shapeOf(db)).toEqual(await shapeOf(world.database));
  }
}

/** What the database has fetched of the blocks before the checkpoint's. */
async function historyRead() {
  const [read] = await world.rows<{ logs: number; intervals: number }>(
    `select (select count(*)::int from ponder_sync.logs where block_number < $1) as logs,
       (select count(*)::int from ponder_sync.intervals where lower(blocks) < $1) as intervals`,
    [block],
    following,
  );
  return read!;
}

test("the index that begins with it has every row of the one it was made of, and reads no history", async () => {
  await makeCheckpoint();
  const head = Number(await world.chain.getBlockNumber());
  expect(block).toBeLessThanOrEqual(head - 12);
  following = await world.anotherDatabase();
  // What is left where a launcher was killed while it took one.
  await following.pool.query(`create schema "${build}_0"; create table "${build}_0".agent (token_id int)`);
  const words = ["--checkpoint", made, "--signer", signer.address];
  follower = world.startIndexer({ databaseUrl: following.url, env: { RPC_CACHE: "true" }, words });
  await expectSame(following);
  expect(await historyRead()).toEqual({ logs: 0, intervals: 0 });
});

test("what follows is what an index from zero has, over a reorganisation, a crash and a restart", async () => {
  await live(19);
  await world.settle(following);
  await world.reorg(6);
  await live(20);
  await expectSame(following);
  await follower.kill();
  await world.mint(alice, "While it was down");
  await world.mineBlocks(FINALITY_BLOCKS);
  // What starts it again may have the same command: an index that is there goes on.
  const words = ["--checkpoint", join(folder, "gone"), "--signer", signer.address];
  follower = world.startIndexer({ databaseUrl: following.url, env: { RPC_CACHE: "true" }, words });
  await until("the index is served again", async () => !(await readIndexState(following.pool)).retainedView);
  const zero = await world.anotherDatabase();
  const fromZero = world.startIndexer({ databaseUrl: zero.url });
  await expectSame(following, zero);
  await fromZero.stop();
});

test("a later index in the same database reads the history that the checkpoint did not bring", async () => {
  await follower.stop();
  await following.pool.query("update onchain.index_state set generation = generation + 1");
  follower = world.startIndexer({ databaseUrl: following.url, env: { RPC_CACHE: "true" } });
  await until("the next one is served", async () => (await readIndexState(following.pool)).schema?.endsWith("_1"));
  await world.settle(following);
  expect(await dumpIndex(following)).toEqual(await dumpIndex(world.database));
  const { logs, intervals } = await historyRead();
  expect(logs).toBeGreaterThan(50);
  expect(intervals).toBeGreaterThan(10);
  await follower.stop();
});

/** A copy of the checkpoint after a change of its folder and of what is signed. */
type Change = (content: CheckpointContent, at: string) => unknown;
type Options = {
  by?: typeof signer;
  env?: Record<string, string>;
  unsigned?: ((text: string) => string) | null;
  trusts?: string | undefined;
};

/** @returns why an indexer does not begin with a changed checkpoint, in a database where nothing of it is left */
async function refusal(change: Change, options: Options = {}) {
  const { by = signer, env = {}, unsigned = (text: string) => text, trusts } = { trusts: signer.address, ...options };
  const at = join(folder, "changed");
  rmSync(at, { recursive: true, force: true });
  cpSync(made, at, { recursive: true });
  const path = join(at, MANIFEST_FILE);
  const { signature: _, ...content } = readCheckpoint(readFileSync(path, "utf8"))!;
  change(content, at);
  const signature = { signer: by.address, signature: await by.sign(snapshotDigest(content)) };
  if (unsigned !== null) writeFileSync(path, unsigned(JSON.stringify({ ...content, signature })));
  const all = { ...world.env(empty.url), ...env };
  const launcher = launchIndexer({
    ...{ config: loadConfig(all, { followStack: false }), env: all, log: pino({ enabled: false }) },
    checkpoint: { folder: at, signer: trusts },
  });
  const error = await launcher.done.catch((error) => error);
  expect(error).toBeInstanceOf(LaunchError);
  const [left] = await world.rows(
    `select (select array_agg(nspname::text) from pg_namespace where nspname ~ '^(index|fetch|retained)_') as schemas,
       (select count(*)::int from onchain.block_hash where block > 0) as hashes`,
    [],
    empty,
  );
  expect(left).toEqual({ schemas: null, hashes: 0 });
  return (error as LaunchError).message;
}

/** Changes the lines of a table's file, and what its manifest says of them. */
const rewrite =
  (table: string, edit: (text: string) => string): Change =>
  (content, at) => {
    const text = edit(gunzipSync(readFileSync(join(at, checkpointFile(table)))).toString());
    write(content, at, table, gzipSync(text), text.split("\n").length - 1);
  };

function write({ files }: CheckpointContent, at: string, table: string, bytes: Buffer, rows?: number): void {
  const name = checkpointFile(table);
  writeFileSync(join(at, name), bytes);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  files[name] = { table, bytes: bytes.length, sha256, rows: rows ?? files[name]!.rows };
}

const firstLine = (text: string) => text.slice(0, text.indexOf("\n") + 1);

const missing = { code: -32000, message: "missing trie node 00 (path ) state 0x00 is not available, not found" };
const PRUNED: Rule = { name: "pruned", call: ({ method }) => (method === "eth_call" ? missing : null) };

const refusals: [name: string, sentence: RegExp, change: Change, options?: () => Promise<Options> | Options][] = [
  // By its manifest and its files.
  ["another signer", /0x[0-9a-f]{40} has signed it, and --signer trusts 0x/, () => {}, () => ({ by: stranger })],
  ["no signer", /has signed it, and --signer trusts nobody/, () => {}, () => ({ trusts: undefined })],
  ["another form of files", /no manifest that this/, (content) => Object.assign(content, { schemaVersion: 2 })],
  [
    "a manifest that was changed after it was signed",
    /its manifest was changed after it was signed/,
    () => {},
    () => ({ unsigned: (text) => text.replace(`"block":${block}`, `"block":${block - 1}`) }),
  ],
  [
    "a manifest cut short",
    /is no manifest that this version reads/,
    () => {},
    () => ({ unsigned: (text) => text.slice(0, -9) }),
  ],
  [
    "no manifest",
    /manifest\.json cannot be read: ENOENT/,
    (_, at) => rmSync(join(at, MANIFEST_FILE)),
    () => ({ unsigned: null }),
  ],
  [
    "a signed snapshot of agents",
    /is no manifest that this/,
    (content) => Object.assign(content, { format: "agent-snapshot" }),
  ],
  [
    "another chain",
    /it is of index_[0-9a-f]{10} on chain 1, and this build is index_[0-9a-f]{10} on 8453/,
    (content) => Object.assign(content, { chainId: 1 }),
  ],
  [
    "another build",
    /it is of index_0123456789 on chain 8453, and this/,
    (content) => Object.assign(content, { build: "index_0123456789" }),
  ],
  [
    "a file with a byte changed",
    /agent\.copy\.gz is not the file of the manifest: its SHA-256 differs/,
    (_, at) => {
      const bytes = readFileSync(join(at, "agent.copy.gz"));
      bytes[bytes.length >> 1]! ^= 1;
      writeFileSync(join(at, "agent.copy.gz"), bytes);
    },
  ],
  ["no file", /trait\.copy\.gz cannot be read: ENOENT/, (_, at) => rmSync(join(at, "trait.copy.gz"))],
  // By the chain.
  [
    "a block that is not final",
    /its block \d+ is not final: the nodes are/,
    (content) => {
      content.block += 10_000;
    },
  ],
  [
    "a block that the chain has not",
    /its block \d+ is 0x0+1, and on the chain 0x[0-9a-f]{64}/,
    (content) => Object.assign(content, { blockHash: numberToHex(1, { size: 32 }) }),
  ],
  // By its rows, though its signer is trusted.
  [
    "files of other tables",
    /not those of the index's tables: handshake\.copy\.gz, \.\.\/agent\.copy\.gz\.$/,
    ({ files }, at) => {
      cpSync(join(at, "agent.copy.gz"), join(folder, "agent.copy.gz"));
      files["../agent.copy.gz"] = files["agent.copy.gz"]!;
      delete files["handshake.copy.gz"];
    },
  ],
  [
    "a file cut short",
    /index_changes\.copy\.gz has no rows of its table: unexpected end of file/,
    (content, at) =>
      write(content, at, "index_changes", readFileSync(join(at, "index_changes.copy.gz")).subarray(0, 100)),
  ],
  [
    "a row twice",
    /transfer\.copy\.gz has no rows of its table: duplicate key/,
    rewrite("transfer", (text) => text + firstLine(text)),
  ],
  [
    "fewer rows than it says",
    /agent\.copy\.gz has \d+ rows, and its manifest says 9007199254740991/,
    ({ files }) => Object.assign(files["agent.copy.gz"]!, { rows: Number.MAX_SAFE_INTEGER }),
  ],
  [
    "an owner that the chain has not",
    /it says that 0x[0-9a-f]+29a owns token \d+ of 0x[0-9a-f]{40}, and the chain 0x/,
    rewrite("agent", (text) => text.replaceAll(/^(\d+\t0x[0-9a-f]{40}\t)0x[0-9a-f]{40}/gm, `$1${someone(666)}`)),
  ],
  [
    "nodes without the state of its block",
    /no node has the state of its block/,
    () => {},
    async () => {
      const node = await startStrictNode({ upstream: world.anvil.url, profile: [PRUNED] });
      onTestFinished(() => void node.close());
      return { env: { RPC_URL: node.url } };
    },
  ],
];

test.each(refusals)("refused: %s", async (_, sentence, change, options) => {
  expect(await refusal(change, await options?.())).toMatch(sentence);
});
