/** Restarts of the indexer: readers never see an agent vanish, and nothing is lost, whichever way it went down. */
import { beforeAll, expect, test } from "vitest";
import { checkpointBlock, readIndexState } from "../../db/operations/index-state.ts";
import { openClient } from "../../db/sql/connect.ts";
import { startAnvil } from "../../devnet/anvil.ts";
import { deployDevnet } from "../../devnet/deploy.ts";
import { dumpIndex } from "../../harness/dump-index.ts";
import { until } from "../../harness/until.ts";
import { expectTruth, type IndexerProcess, indexWorld, someone } from "../support/index-world.ts";
import { perFile } from "../support/started.ts";

const world = perFile(indexWorld);
let indexer: IndexerProcess;
const alice = someone(1);
const state = () => readIndexState(world.database.pool);

beforeAll(async () => {
  indexer = world.startIndexer();
  await world.mint(alice, "Old and final");
  await world.mineBlocks(70);
  // Above the finalized block: exactly what Ponder removes and brings back at a restart.
  for (let i = 0; i < 5; i++) await world.mint(alice, `Young ${i}`);
  await world.settle();
});

/** Reads as the API does, again and again, and remembers the fewest rows it ever saw. */
function sample() {
  const fewest = {
    agents: Number.POSITIVE_INFINITY,
    changes: Number.POSITIVE_INFINITY,
    block: Number.POSITIVE_INFINITY,
  };
  let samples = 0;
  let sampling = true;
  const done = (async () => {
    while (sampling) {
      const [row] = await world.rows<{ agents: number; changes: number; block: number }>(`
        select (select count(*)::int from onchain.agent) as agents, (select count(*)::int from onchain.index_changes) as changes,
               (select ${checkpointBlock("latest_checkpoint")}::int from onchain._ponder_checkpoint) as block`);
      samples++;
      for (const key of ["agents", "changes", "block"] as const) fewest[key] = Math.min(fewest[key], row![key]);
      await new Promise((done) => setTimeout(done, 20));
    }
  })();
  return {
    /** Readers are there in this phase too. */
    async readsOn() {
      const before = samples;
      await until("reads", () => samples >= before + 10);
    },
    async end() {
      sampling = false;
      await done;
      return fewest;
    },
  };
}

const ways: [name: string, down: () => Promise<unknown>][] = [
  ["SIGTERM", async () => expect(await indexer.stop()).toBe(0)],
  ["SIGKILL", () => indexer.kill()],
];
test.each(ways)("down by %s and up again: no reader sees less than before", async (_, down) => {
  const before = await dumpIndex(world.database);
  const { indexedBlock } = await state();
  const sampler = sample();
  let seen: Awaited<ReturnType<typeof sampler.end>>;
  let tokenId: number;
  try {
    await down();
    await sampler.readsOn();
    indexer = world.startIndexer();
    await until("a held copy is served", async () => (await state()).retainedView);
    await sampler.readsOn();
    expect(await dumpIndex(world.database)).toEqual(before);
    await until("the index is served again", async () => !(await state()).retainedView);
    await sampler.readsOn();
    ({ tokenId } = await world.mint(alice, "After the restart"));
    await world.settle();
  } finally {
    seen = await sampler.end();
  }
  expect(seen).toMatchObject({
    agents: before.agent!.length,
    changes: before.index_changes!.length,
    block: indexedBlock,
  });
  const after = await dumpIndex(world.database);
  for (const [table, rows] of Object.entries(before)) expect(after[table], table).toEqual(expect.arrayContaining(rows));
  expect((await world.rows("select name from onchain.agent where token_id = $1", [tokenId]))[0]).toEqual({
    name: "After the restart",
  });
  await expectTruth(world);
});

test("killed while it still serves a held copy, it keeps that copy and gets there at the second attempt", async () => {
  const before = await dumpIndex(world.database);
  await indexer.kill();
  indexer = world.startIndexer();
  await until("a held copy is served", async () => (await state()).retainedView);
  await indexer.kill();
  expect(await dumpIndex(world.database)).toEqual(before);
  indexer = world.startIndexer();
  await until("the index is served again", async () => !(await state()).retainedView);
  expect(await dumpIndex(world.database)).toEqual(before);
});

test("reads of blocks that were reorganised away while it was down are not believed", async () => {
  const snapshot = await world.chain.snapshot();
  const { tokenId, receipt } = await world.mint(alice, "Twin", { framework: "first" });
  await world.settle();
  await indexer.stop();
  // The same token, minted again in another block of the same number: Ponder keeps its reads by number.
  await world.chain.revert({ id: snapshot });
  const again = await world.mint(alice, "Twin", { framework: "second" });
  expect(again.tokenId).toBe(tokenId);
  expect(again.receipt.blockNumber).toBe(receipt.blockNumber);
  expect(again.receipt.blockHash).not.toBe(receipt.blockHash);
  indexer = world.startIndexer();
  await until("the index is served again", async () => {
    const rows = await world.rows("select framework from onchain.agent where token_id = $1", [tokenId]);
    return rows[0]?.framework === "second";
  });
  await world.settle();
  await expectTruth(world);
});

test("ended at its start, before a deep reorganisation, it is not believed what it took as final", async () => {
  const before = await finalBlock();
  await indexer.stop();
  await world.mineBlocks(100);
  // Counted, and of no agent: the index tells no hash of its block.
  await world.serviceToken(alice, "transfer", [someone(9), 0n]);
  await world.mineBlocks(35);
  indexer = world.startIndexer();
  await until("it takes blocks as final", async () => (await finalBlock()) > before, { everyMs: 20 });
  await indexer.kill();
  await world.chain.request({ method: "anvil_rollback" as never, params: [60] as never });
  const { tokenId } = await world.mint(alice, "Below what was final");
  await world.mineBlocks(70);
  indexer = world.startIndexer();
  const agent = () => world.rows("select name from onchain.agent where token_id = $1", [tokenId]);
  await until("the new branch is indexed", async () => (await agent())[0]?.name === "Below what was final");
  await world.settle();
  await expectTruth(world);
});

/** What the index that is being built has taken as final: the views show a copy of the one before. */
async function finalBlock(): Promise<number> {
  const { schema } = await state();
  const [row] = await world.rows<{ block: number }>(
    `select ${checkpointBlock("finalized_checkpoint")}::int as block from "${schema}"._ponder_checkpoint`,
  );
  return row!.block;
}

test("a second indexer of the same build waits, and takes over when the first is gone", async () => {
  const second = world.startIndexer({ env: { LOG_LEVEL: "info" } });
  await until("it says that it waits", () => second.output().includes("waiting for it to end"));
  await indexer.stop();
  await until("it serves", () => second.output().includes("serving index_"));
  indexer = second;
  await world.mint(alice, "Under the second");
  await world.settle();
  await expectTruth(world);
});

test("when its database session breaks it lets go of Ponder and starts over", async () => {
  const admin = openClient({ connectionString: world.database.url });
  await admin.connect();
  const { rowCount } = await admin.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name like '%launcher'",
  );
  await admin.end();
  expect(rowCount).toBe(1);
  await until("it starts over", async () => (await state()).retainedView);
  await world.mint(alice, "After the broken session");
  await world.settle();
  await expectTruth(world);
});

test("a chain that starts again from nothing is another chain: the index follows it by itself", async () => {
  const port = Number(new URL(world.anvil.url).port);
  await world.anvil.stop();
  const anvil = await startAnvil({ port });
  const { generation } = await state();
  await deployDevnet(anvil.url);
  await until("stale", async () => (await state()).stale);
  await until("the new chain is served", async () => {
    const now = await state();
    return !now.stale && now.generation > generation;
  });
  await world.settle();
  expect(await world.rows("select * from onchain.agent")).toEqual([]);
  await anvil.stop();
});
