/** Epochs of scores in a test's database, built and kept as the publishing job does it. */
import type pg from "pg";
import type { Address, Hex } from "../../core/agents/facts.ts";
import { packTree } from "../../core/cred/tree/packed.ts";
import { buildTree } from "../../core/cred/tree/tree.ts";
import { epochPublished, epochsState, storeEpoch } from "../../db/cred/store-cred-epoch.ts";
import { transaction } from "../../db/sql/transaction.ts";

type TestScore = { tokenId: number; score: number; computedAt?: number; block?: number };
export type TestEpoch = {
  epoch: number;
  chainId?: number;
  registry: Address;
  contract: Address;
  scores: readonly TestScore[];
  computedAt?: Date;
  block?: number;
};

/** Stores an epoch as built. @returns its root, and what its transaction publishes */
export async function storeTestEpoch(pool: pg.Pool, of: TestEpoch): Promise<{ root: Hex; leaves: bigint }> {
  const { epoch, chainId = 8453, registry, contract, computedAt = new Date(), block = 1_000 } = of;
  const rows = of.scores.toSorted((a, b) => a.tokenId - b.tokenId);
  const columns = {
    chainId,
    registry,
    tokenIds: Float64Array.from(rows, ({ tokenId }) => tokenId),
    scores: Uint8Array.from(rows, ({ score }) => score),
    computedAt: Float64Array.from(rows, (row) => row.computedAt ?? 1_790_000_000),
    blocks: Float64Array.from(rows, (row) => row.block ?? 900),
  };
  const tree = buildTree(columns);
  const row = { epoch, chainId, registry, contract, root: tree.root, leaves: rows.length, block, computedAt };
  await transaction(pool, async (tx) => {
    const publish = { data: "0x", seen: await epochsState(tx) } as const;
    await storeEpoch(tx, { ...row, builtAt: computedAt, buildMs: 1 }, [...packTree(columns, tree)], publish);
    // The test decides what becomes of it, not a sender that happens to run.
    await tx.query("delete from offchain.transaction_outbox where intent_key = $1", [`root:${epoch}`]);
  });
  return { root: tree.root, leaves: BigInt(rows.length) };
}

/** Its transaction is in a block. */
export const publishTestEpoch = (
  pool: pg.Pool,
  epoch: number,
  { txHash = `0x${epoch.toString(16).padStart(64, "0")}` as Hex, txBlock = 2_000 + epoch, at = new Date() } = {},
) => epochPublished(pool, { intentKey: `root:${epoch}`, txHash, txBlock, at });
