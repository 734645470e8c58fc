/** The transactions of an agent, as the index notes them. */
import { parseEther, parseEventLogs, toFunctionSelector } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { handshakesAbi } from "../../abis/handshakes.ts";
import { identityAbi } from "../../abis/identity.ts";
import { recentTransactions } from "../../db/report.ts";
import { type IndexWorld, indexWorld, someone } from "../support/index-world.ts";

let world: IndexWorld;
beforeAll(async () => {
  world = await indexWorld();
  world.startIndexer();
}, 200_000);
afterAll(() => world?.close());

const [alice, bob] = [someone(1), someone(2)];
const selectorOf = (name: string) =>
  toFunctionSelector(identityAbi.find((e) => e.type === "function" && e.name === name) as never);

test("each once, newest first, with sender, receiver, value and function; a reorganisation takes them back", async () => {
  const { chain, contracts, database, send } = world;
  const price = await chain.readContract({ address: contracts.identity, abi: identityAbi, functionName: "mintPrice" });
  const value = price > 0n ? price : parseEther("0.001");
  const args = [bob, "Buyer", "custom", false] as const;
  const minted = await send(alice, contracts.identity, identityAbi, "mint", args, value);
  const [registered] = parseEventLogs({ abi: identityAbi, eventName: "AgentRegistered", logs: minted.logs });
  const tokenId = Number(registered!.args.tokenId);
  const other = await world.mint(bob, "Other");
  const trait = await send(alice, contracts.identity, identityAbi, "addTrait", [BigInt(tokenId), "fast", "skill"]);
  const moved = await send(alice, contracts.identity, identityAbi, "transferFrom", [alice, bob, BigInt(tokenId)]);
  await world.settle();

  const newest = await recentTransactions(database.pool, tokenId, 10);
  const identity = contracts.identity.toLowerCase();
  const plain = { from: alice, to: identity, valueWei: 0n, minedAt: expect.any(Number) };
  expect(newest).toEqual([
    { ...plain, hash: moved.transactionHash, selector: selectorOf("transferFrom") },
    { ...plain, hash: trait.transactionHash, selector: selectorOf("addTrait") },
    { ...plain, hash: minted.transactionHash, selector: selectorOf("mint"), valueWei: value },
  ]);
  expect(await recentTransactions(database.pool, tokenId, 2)).toEqual(newest.slice(0, 2));
  expect((await recentTransactions(database.pool, other.tokenId, 10)).map(({ from }) => from)).toEqual([
    world.owner.toLowerCase(),
  ]);

  await world.reorg(2);
  await world.settle();
  expect((await recentTransactions(database.pool, tokenId, 10)).map(({ hash }) => hash)).toEqual([
    minted.transactionHash,
  ]);
});

test("a handshake is a transaction of both", async () => {
  const [one, two] = [await world.mint(someone(7), "One"), await world.mint(someone(8), "Two")];
  const address = world.contracts.handshakes;
  const owner = await world.chain.readContract({ address, abi: handshakesAbi, functionName: "owner" });
  const met = await world.send(owner, address, handshakesAbi, "recordHandshake", [
    BigInt(one.tokenId),
    BigInt(two.tokenId),
  ]);
  await world.settle();
  for (const { tokenId } of [one, two])
    expect((await recentTransactions(world.database.pool, tokenId, 10))[0]!.hash).toBe(met.transactionHash);
});
