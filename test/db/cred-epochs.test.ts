/** Epochs in the database: stored once by whichever worker comes first, provable while kept, pruned beyond that. */
import { StandardMerkleTree } from "@openzeppelin/merkle-tree";
import { beforeEach, expect, it } from "vitest";
import { LEAF_TYPES, leafValues } from "../../core/cred/tree/leaf.ts";
import { packTree } from "../../core/cred/tree/packed.ts";
import { buildTree, type LeafColumns } from "../../core/cred/tree/tree.ts";
import { epochByNumber, latestPublished, leafOf, proofOf } from "../../db/cred/cred-epochs.ts";
import {
  epochFailed,
  epochPublished,
  epochReopened,
  epochsState,
  pruneEpochs,
  storeEpoch,
} from "../../db/cred/store-cred-epoch.ts";
import { transaction } from "../../db/sql/transaction.ts";
import { testDatabase } from "../support/database.ts";
import { perFile } from "../support/started.ts";

const db = perFile(testDatabase);
beforeEach(() => db.pool.query("truncate offchain.cred_epoch cascade"));

const CONTRACT = "0x00000000000000000000000000000000000c0de0";
const columns = (count: number, score = 40): LeafColumns => ({
  chainId: 8453,
  registry: "0x2e3b541c59d38b84e3bc54e977200230a204fe60",
  tokenIds: Float64Array.from({ length: count }, (_, i) => 2 * i),
  scores: Uint8Array.from({ length: count }, (_, i) => (score + i) % 101),
  computedAt: Float64Array.from({ length: count }, () => 1_790_000_000),
  blocks: Float64Array.from({ length: count }, () => 1_000),
});

async function store(epoch: number, leaves = columns(700), seen?: { highest: number | null }) {
  const tree = buildTree(leaves);
  const { chainId, registry } = leaves;
  const at = new Date(1_790_000_000_000 + epoch * 1_000);
  const row = {
    epoch,
    chainId,
    registry,
    contract: CONTRACT,
    root: tree.root,
    leaves: leaves.tokenIds.length,
  } as const;
  const publish = { data: "0x00", seen: seen ?? (await epochsState(db.pool)) } as const;
  return transaction(db.pool, (tx) =>
    storeEpoch(
      tx,
      { ...row, block: 1_000 + epoch, computedAt: at, builtAt: at, buildMs: 5 },
      [...packTree(leaves, tree)],
      publish,
    ),
  );
}
const publish = (epoch: number) =>
  epochPublished(db.pool, { intentKey: `root:${epoch}`, txHash: "0x0a", txBlock: 2_000 + epoch, at: new Date() });

it("gives the leaf of every agent without its proof, and of no other", async () => {
  for (const count of [1, 2, 700, 1_100]) {
    await db.pool.query("truncate offchain.cred_epoch cascade");
    await store(1, columns(count));
    const epoch = (await epochByNumber(db.pool, 1))!;
    for (const tokenId of new Set([0, 2 * Math.floor(count / 2), 2 * (count - 1)]))
      expect(await leafOf(db.pool, epoch, tokenId)).toEqual((await proofOf(db.pool, 1, tokenId))!.leaf);
    expect([await leafOf(db.pool, epoch, 1), await leafOf(db.pool, epoch, 2 * count)]).toEqual([null, null]);
    expect(await leafOf(db.pool, { ...epoch, kept: false }, 0)).toBeNull();
  }
});

it("proves every agent of an epoch as OpenZeppelin's tree does, and no other", async () => {
  const leaves = columns(2_100);
  await store(1, leaves);
  const [first, second] = [(await proofOf(db.pool, 1, 0))!, (await proofOf(db.pool, 1, 4_198))!];
  expect(first.leaf).toMatchObject({ tokenId: 0, score: 40, tier: 1, computedAt: 1_790_000_000, block: 1_000 });
  for (const { leaf, proof, root } of [first, second])
    expect(StandardMerkleTree.verify(root, [...LEAF_TYPES], [...leafValues(leaf)], proof)).toBe(true);
  expect(await proofOf(db.pool, 1, 1)).toBeNull();
  expect(await proofOf(db.pool, 1, 4_200)).toBeNull();
  expect(await proofOf(db.pool, 2, 0)).toBeNull();
});

it("stores one epoch for workers that saw the same state, and none while one is open", async () => {
  const seen = await epochsState(db.pool);
  expect(seen).toEqual({ highest: null, highestState: null, open: null, lastBuiltAt: null });
  expect((await Promise.all([store(1, columns(3), seen), store(1, columns(4), seen)])).sort()).toEqual([false, true]);
  expect(await store(2)).toBe(false);
  await publish(1);
  expect(await store(2, columns(3), seen)).toBe(false);
  expect(await store(2)).toBe(true);
  const { rows } = await db.pool.query("select intent_key, to_address from offchain.transaction_outbox order by id");
  expect(rows).toEqual([1, 2].map((n) => ({ intent_key: `root:${n}`, to_address: CONTRACT })));
});

it("follows its transaction, back as well", async () => {
  await db.pool.query("truncate offchain.transaction_outbox cascade");
  await store(1);
  expect(await latestPublished(db.pool)).toBeNull();
  await publish(1);
  expect(await latestPublished(db.pool)).toMatchObject({
    epoch: 1,
    state: "published",
    txHash: "0x0a",
    txBlock: 2_001,
  });
  await store(2);
  await epochFailed(db.pool, { intentKey: "root:2", error: "reverted" });
  expect(await epochByNumber(db.pool, 2)).toMatchObject({ state: "failed", error: "reverted" });
  expect(await latestPublished(db.pool)).toMatchObject({ epoch: 1 });
  await epochReopened(db.pool, { intentKey: "root:1" });
  expect(await epochByNumber(db.pool, 1)).toMatchObject({ state: "built", txHash: null, publishedAt: null });
  expect(await latestPublished(db.pool)).toBeNull();
});

it("keeps the trees of the newest epochs; older ones keep root and counts", async () => {
  for (const epoch of [1, 2, 3, 4]) {
    await store(epoch, columns(600, epoch));
    if (epoch === 3) await epochFailed(db.pool, { intentKey: "root:3", error: "reverted" });
    else await publish(epoch);
  }
  const prune = (finalBlock: number) => transaction(db.pool, (tx) => pruneEpochs(tx, { keep: 2, finalBlock }));
  expect(await prune(0)).toBe(1);
  expect(await proofOf(db.pool, 1, 0)).toBeNull();
  expect(await epochByNumber(db.pool, 1)).toMatchObject({ kept: false, leaves: 600, state: "published" });
  expect([await proofOf(db.pool, 2, 0), await proofOf(db.pool, 4, 0)]).not.toContain(null);
  // The failed one has no proofs to give once no reorganisation can revive it.
  expect(await prune(1_003)).toBe(0);
  expect(await prune(1_004)).toBe(1);
  const { rows } = await db.pool.query("select distinct epoch from offchain.cred_epoch_part order by 1");
  expect(rows).toEqual([{ epoch: 2 }, { epoch: 4 }]);
});
