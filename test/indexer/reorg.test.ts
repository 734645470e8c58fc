/** Reorganisations: shallow ones roll rows back, one deeper than finality is noticed, marked, and healed without anybody; and the transactions of an agent. */
import { parseEther, parseEventLogs, toFunctionSelector } from "viem";
import { beforeAll, expect, test } from "vitest";
import { erc8004IdentityAbi } from "../../abis/erc8004.ts";
import { handshakesAbi } from "../../abis/handshakes.ts";
import { identityAbi } from "../../abis/identity.ts";
import type { Address } from "../../core/agents/facts.ts";
import { recentTransactions } from "../../db/agents/activity.ts";
import { eventLog, eventsAfter } from "../../db/events/events.ts";
import { readIndexState } from "../../db/operations/index-state.ts";
import { linkHumanAgent, writeHuman } from "../../db/principals/human-writes.ts";
import { loadHumans } from "../../db/principals/humans.ts";
import { migrate } from "../../db/schema/migrate.ts";
import { testLog } from "../../harness/log.ts";
import { LONG } from "../../harness/patience.ts";
import { startTroubledNode } from "../../harness/troubled-node.ts";
import { until } from "../../harness/until.ts";
import type { JobContext } from "../../workers/context.ts";
import { dispatch } from "../../workers/events/dispatcher.ts";
import { sequence } from "../../workers/events/event-log.ts";
import { expectTruth, type IndexerProcess, indexWorld, someone } from "../support/index-world.ts";
import { casesOf, deepIt } from "../support/share.ts";
import { perFile } from "../support/started.ts";

const world = perFile(indexWorld);
const node = perFile(() => startTroubledNode(world.anvil.url));
let indexer: IndexerProcess;
const [alice, bob] = [someone(1), someone(2)];

beforeAll(async () => {
  indexer = world.startIndexer({ env: { RPC_URL: node.url, WATCHDOG_STALL_MS: String(10 * LONG) } });
  await world.mint(alice, "Before every reorg");
  await world.mineBlocks(40);
  await world.settle();
});

const everything = async () => ({
  agents: await world.rows("select * from onchain.agent order by token_id"),
  traits: await world.rows("select * from onchain.trait order by token_id, position"),
  names: await world.rows("select * from onchain.agent_name order by name"),
  transfers: await world.rows("select * from onchain.transfer order by id"),
  changes: await world.rows("select * from onchain.index_changes order by id"),
});

/** One block of change for each of `blocks` blocks: mints, a new owner, traits, a name. */
async function live(blocks: number): Promise<void> {
  const asOwner = (functionName: "addTrait" | "registerName", args: readonly unknown[]) =>
    world.identity(world.owner, functionName, args as never);
  for (let i = 0; i < blocks; i++) {
    if (i % 4 === 0) await world.mint(bob, `Short-lived ${i}`);
    else if (i % 4 === 1) await asOwner("addTrait", [0n, `trait ${i}`, "passing"]);
    else if (i % 4 === 2) await asOwner("registerName", [0n, `name-${blocks}-${i}`]);
    else {
      const token = { address: world.contracts.identity, abi: identityAbi } as const;
      const holder = await world.chain.readContract({ ...token, functionName: "ownerOf", args: [0n] });
      await world.identity(holder, "transferFrom", [holder, someone(50 + i), 0n]);
    }
  }
}

test.each(casesOf([1, 7, 29], 1))("a reorg of %i blocks takes their rows back, and only theirs", async (depth) => {
  const before = await everything();
  await live(depth);
  await world.settle();
  expect(await everything()).not.toEqual(before);
  await world.reorg(depth);
  await world.settle();
  expect(await everything()).toEqual(before);
  await expectTruth(world);
});

test("a reorganisation waits for no reader, and keeps none waiting", async () => {
  const reader = await world.database.pool.connect();
  try {
    await world.mint(bob, "Gone while somebody reads");
    await world.settle();
    // A long statement over several tables, as far as its locks go.
    await reader.query(
      "begin; select 1 from onchain.trait, onchain.agent, onchain.transfer, onchain._ponder_checkpoint",
    );
    await world.reorg(1);
    await world.settle();
    await expectTruth(world);
    const { rows } = await reader.query("select count(*)::int as n from onchain.index_changes");
    expect(rows[0].n).toBe((await everything()).changes.length);
  } finally {
    await reader.query("rollback");
    reader.release();
  }
  // The triggers work again: what comes now can be taken back as well.
  const before = await everything();
  await world.mint(bob, "Gone as well");
  await world.settle();
  await world.reorg(1);
  await world.settle();
  expect(await everything()).toEqual(before);
});

test("a block that is taken away before its logs were read is let go, and no watchdog has to end it", async () => {
  const before = await everything();
  node.mode = "forgetful";
  await world.mint(bob, "Never read");
  await until("its logs are asked for", () => node.troubled().forgetful);
  await world.reorg(1);
  node.mode = null;
  await world.settle();
  expect(await everything()).toEqual(before);
  // Not by the watchdog, which waits for longer than this test.
  expect(indexer.output()).toContain("The block is not on the chain any more.");
});

test("events that come back in another block are told again, with that block's hash", async () => {
  const { tokenId } = await world.mint(bob, "Comes back");
  await world.settle();
  const registered = "select block_hash from onchain.index_changes where token_id = $1 and kind = 'agent.registered'";
  const told = async () => (await world.rows(registered, [tokenId]))[0]?.block_hash;
  const first = await told();
  await world.reorg(1);
  await world.settle();
  expect(await told()).toBeUndefined();
  const again = await world.mint(bob, "Comes back");
  await world.settle();
  expect(again.tokenId).toBe(tokenId);
  expect(await told()).toBe(again.receipt.blockHash);
  expect(again.receipt.blockHash).not.toBe(first);
});

test("a review's event is taken back with its block; the review in another block is another event", async () => {
  await migrate(world.database.url);
  const { pool } = world.database;
  const context = {
    ...{ db: pool, clock: () => new Date(), log: testLog(), fault: () => {}, queue: { add: async () => {} } },
    config: {
      attestationSchemas: ["0x"],
      eventRetentionMs: 365 * 86_400_000,
      service: { publicUrl: "https://agents.test" },
    },
  } as unknown as JobContext;
  const told = async () => {
    await world.settle();
    await dispatch(context);
    await sequence(context);
    const { head } = await eventLog(pool);
    const { events } = await eventsAfter(pool, { after: 0, head, limit: 5_000 });
    const back = new Set(events.flatMap(({ data }) => ("id" in data ? [data.id] : [])));
    return events
      .filter(({ type }) => type === "agent.reviewed")
      .map(({ id, block, txHash }) => ({ id, block, txHash, gone: back.has(id) }));
  };
  const review = async () => {
    const args = [agentId, 80n, 0, "starred", "", "", "", `0x${"00".repeat(32)}`] as const;
    const { transactionHash: txHash, blockNumber } = await world.reputation(bob, "giveFeedback", args);
    return { txHash, block: Number(blockNumber), gone: false };
  };
  const { logs } = await world.registry(alice, "register", [""]);
  const { agentId } = parseEventLogs({ abi: erc8004IdentityAbi, eventName: "Registered", logs })[0]!.args;
  const first = await review();
  expect(await told()).toMatchObject([first]);
  await world.reorg(1);
  await world.mineBlocks(1);
  await told();
  const second = await review();
  await world.mineBlocks(2);
  const taken = await until("the first is gone", async () => (await told()).some(({ gone }) => gone) && told());
  expect(taken).toMatchObject([{ ...first, gone: true }, second]);
});

test("an agent linked to a human: a transfer unlinks it for good, one that is taken back never did", async () => {
  await migrate(world.database.url);
  const identity = world.contracts.identity.toLowerCase() as Address;
  const { pool } = world.database;
  const owner = alice.toLowerCase() as Address;
  await writeHuman(pool, { id: "hum_alice", principal: owner, wallet: owner }, { name: "Alice" }, new Date());
  const { tokenId } = await world.mint(alice, "Linked");
  await world.settle();
  const link = () => linkHumanAgent(pool, { humanId: "hum_alice", tokenId, owner }, identity, new Date());
  const linked = async () => {
    const [human] = await loadHumans(pool, ["hum_alice"], { identity, schema: "0x", attesters: [] });
    return human!.agents.map((agent) => agent.tokenId);
  };
  const move = async (from: Address, to: Address) => {
    await world.identity(from, "transferFrom", [from, to, BigInt(tokenId)]);
    await world.settle();
  };
  expect([await link(), await linked()]).toEqual([true, [tokenId]]);
  await move(alice, bob);
  expect([await linked(), await link()]).toEqual([[], false]);
  await world.reorg(1);
  await world.settle();
  expect(await linked()).toEqual([tokenId]);
  await move(alice, bob);
  await move(bob, alice);
  expect(await linked()).toEqual([]);
  // Only the way back is gone: it is not hers, and then hers anew.
  await world.reorg(1);
  await world.settle();
  expect(await linked()).toEqual([]);
  await move(bob, alice);
  expect([await linked(), await link(), await linked()]).toEqual([[], true, [tokenId]]);
});

const selectorOf = (name: string) =>
  toFunctionSelector(identityAbi.find((e) => e.type === "function" && e.name === name) as never);

test("transactions of an agent are listed once, newest first, and a reorganisation takes them back", async () => {
  const { chain, contracts, database } = world;
  const price = await chain.readContract({ address: contracts.identity, abi: identityAbi, functionName: "mintPrice" });
  const value = price > 0n ? price : parseEther("0.001");
  const args = [bob, "Buyer", "custom", false] as const;
  const minted = await world.identity(alice, "mint", args, value);
  const [registered] = parseEventLogs({ abi: identityAbi, eventName: "AgentRegistered", logs: minted.logs });
  const tokenId = Number(registered!.args.tokenId);
  const other = await world.mint(bob, "Other");
  const trait = await world.identity(alice, "addTrait", [BigInt(tokenId), "fast", "skill"]);
  const moved = await world.identity(alice, "transferFrom", [alice, bob, BigInt(tokenId)]);
  await world.settle();

  const recent = (of: number, limit = 10) => recentTransactions(database.pool, { tokenId: of, limit });
  const newest = await recent(tokenId);
  const identity = contracts.identity.toLowerCase();
  const plain = { from: alice, to: identity, valueWei: 0n, minedAt: expect.any(Number) };
  expect(newest).toEqual([
    { ...plain, hash: moved.transactionHash, selector: selectorOf("transferFrom") },
    { ...plain, hash: trait.transactionHash, selector: selectorOf("addTrait") },
    { ...plain, hash: minted.transactionHash, selector: selectorOf("mint"), valueWei: value },
  ]);
  expect(await recent(tokenId, 2)).toEqual(newest.slice(0, 2));
  expect((await recent(other.tokenId)).map(({ from }) => from)).toEqual([world.owner.toLowerCase()]);

  await world.reorg(2);
  await world.settle();
  expect((await recent(tokenId)).map(({ hash }) => hash)).toEqual([minted.transactionHash]);
});

test("a handshake is a transaction of both", async () => {
  const [one, two] = [await world.mint(someone(7), "One"), await world.mint(someone(8), "Two")];
  const address = world.contracts.handshakes;
  const owner = await world.chain.readContract({ address, abi: handshakesAbi, functionName: "owner" });
  const met = await world.handshakes(owner, "recordHandshake", [BigInt(one.tokenId), BigInt(two.tokenId)]);
  await world.settle();
  for (const { tokenId } of [one, two])
    expect((await recentTransactions(world.database.pool, { tokenId, limit: 10 }))[0]!.hash).toBe(met.transactionHash);
});

deepIt("a reorg deeper than finality: stale soon, old rows served meanwhile, then the truth", async () => {
  const state = () => readIndexState(world.database.pool);
  // Ponder's finality trails the head by 30 to 60 blocks, and moves in steps.
  const forkAt = Number(await world.chain.getBlockNumber());
  await live(20);
  await world.mineBlocks(75);
  await world.settle();
  await until("the forked blocks are final", async () => (await state()).finalizedBlock! > forkAt + 20);
  const before = await everything();
  const generation = (await state()).generation;
  const recorded = () => world.rows("select 1 from onchain.block_hash where block > $1", [forkAt]);
  await until("a recorded hash of a forked block", async () => (await recorded()).length > 0);

  await world.reorg(Number(await world.chain.getBlockNumber()) - forkAt);
  const stale = await until("stale", async () => ((await state()).stale ? await state() : undefined));
  expect(stale).toMatchObject({ ready: true, reason: expect.stringContaining("deeper than finality") });
  expect(await everything()).toEqual(before);
  await world.mint(alice, "After the deep reorg");

  await world.settle();
  const healed = await state();
  expect(healed).toMatchObject({ stale: false, reason: null, retainedView: false, generation: generation + 1 });
  expect(healed.schema).not.toBe(stale.schema);
  await expectTruth(world);
  expect((await everything()).traits.length).toBeLessThan(before.traits.length);
  await until("the old index is gone", async () => {
    const schemas = await world.rows("select nspname from pg_namespace where nspname ~ '^(index|hold)_'");
    return schemas.length === 1;
  });
});
