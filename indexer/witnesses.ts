/** Witnesses: blocks the index has taken as final, with their hashes, held against what the chain says now. */
import type pg from "pg";
import { checkpointBlock, checkpointTime } from "../db/index-state.ts";
import type { BlockId, Node } from "./node.ts";
import { transaction } from "./views.ts";

/** A few hours of finalized blocks on Base: enough to find where a deep reorg forked off. */
const KEEP = 400;

/** How far an index is. Blocks are numbers, times Unix seconds. */
export type Progress = { block: number; at: number; finalizedBlock: number; finalizedAt: number; ready: boolean };

/** @returns null while the index has no checkpoint yet (or no tables at all). */
export async function readProgress(db: pg.ClientBase, schema: string): Promise<Progress | null> {
  try {
    const { rows } = await db.query(`
      select ${checkpointBlock("c.latest_checkpoint")}::float8 as block,
             ${checkpointTime("c.latest_checkpoint")}::float8 as at,
             ${checkpointBlock("c.finalized_checkpoint")}::float8 as "finalizedBlock",
             ${checkpointTime("c.finalized_checkpoint")}::float8 as "finalizedAt",
             coalesce((select value ->> 'is_ready' from "${schema}"._ponder_meta where key = 'app'), '0') = '1' as ready
      from "${schema}"._ponder_checkpoint c limit 1`);
    return rows[0] ?? null;
  } catch (error) {
    if (["42P01", "3F000"].includes((error as { code?: string }).code ?? "")) return null;
    throw error;
  }
}

/** Remembers a block. A later witness of the same number replaces it only after `forgetFrom`. */
export async function remember(db: pg.ClientBase, chainId: number, witness: Pick<BlockId, "block" | "hash">) {
  await db.query("insert into onchain.block_witness values ($1, $2, $3) on conflict do nothing", [
    chainId,
    witness.block,
    witness.hash,
  ]);
  // Block 0 stays for ever: it tells one chain from another when nothing else is left to compare.
  await db.query(
    `delete from onchain.block_witness where chain_id = $1 and block > 0 and block <= (
       select block from onchain.block_witness where chain_id = $1 order by block desc offset $2 limit 1)`,
    [chainId, KEEP],
  );
}

/** What a look at the witnesses says. */
export type Verdict =
  /** Every witness that could be checked is part of the chain. */
  | { kind: "canonical" }
  /** The node has not reached the witness (it lags or is syncing): nothing can be said. */
  | { kind: "behind"; block: number }
  /** History was replaced below what the index has taken as final; rows from `forkBlock` on are not trustworthy. */
  | { kind: "replaced"; block: number; forkBlock: number };

/**
 * Compares the newest witnesses with the chain: the newest finalized block remembered, and the newest finalized block
 * of `schema` that has rows (its hash was seen by Ponder itself, so not even a reorg between finalization and our own
 * look escapes).
 * @param options.genesis compare block 0 as well: another chain altogether may not have reached the others yet
 */
export async function lookAtWitnesses(
  db: pg.ClientBase,
  node: Node,
  chainId: number,
  schema: string | null,
  { genesis = false } = {},
): Promise<Verdict> {
  const witnesses = await witnessesToCheck(db, chainId, schema, genesis);
  let behind: Verdict | undefined;
  for (const witness of witnesses) {
    const now = await node.blockAt(witness.block);
    if (now === null) {
      behind = (await replacedByShorter(node, db, schema, witness.block)) ?? { kind: "behind", block: witness.block };
    } else if (now.hash !== witness.hash) {
      const forkBlock = await findFork(db, node, chainId);
      // A block that still holds proves all its ancestors, whatever the node calls block 0: anvil makes a new one at
      // every start and, after several, may show any of them.
      if (witness.block === 0 && forkBlock > 0) continue;
      return { kind: "replaced", block: witness.block, forkBlock };
    }
  }
  if (behind?.kind === "replaced") return { ...behind, forkBlock: await findFork(db, node, chainId) };
  return behind ?? { kind: "canonical" };
}

/** The last block remembered as final; undefined before the first. */
export async function newestWitness(
  db: pg.ClientBase,
  chainId: number,
): Promise<Pick<BlockId, "block" | "hash"> | undefined> {
  const { rows } = await db.query(
    "select block::float8 as block, hash from onchain.block_witness where chain_id = $1 order by block desc limit 1",
    [chainId],
  );
  return rows[0];
}

async function witnessesToCheck(db: pg.ClientBase, chainId: number, schema: string | null, genesis: boolean) {
  const witnesses = new Map<number, Pick<BlockId, "block" | "hash">>();
  const add = (witness?: Pick<BlockId, "block" | "hash">) => witness && witnesses.set(witness.block, witness);
  add(await newestWitness(db, chainId));
  if (genesis) {
    const { rows } = await db.query(
      "select block::float8 as block, hash from onchain.block_witness where chain_id = $1 and block = 0",
      [chainId],
    );
    add(rows[0]);
  }
  const progress = schema === null ? null : await readProgress(db, schema);
  if (progress !== null) {
    const { rows } = await db.query(
      `select block::float8 as block, block_hash as hash from "${schema}".outbox where block <= $1 order by block desc limit 1`,
      [progress.finalizedBlock],
    );
    // Ponder's own hash outranks ours for the same block.
    add(rows[0]);
  }
  return witnesses.values();
}

/**
 * A head below the witness usually means a lagging node. But time never runs backwards along a chain: a head that is
 * lower than the finalized block and yet younger belongs to another chain (a development chain restored from an old
 * state, say).
 */
async function replacedByShorter(
  node: Node,
  db: pg.ClientBase,
  schema: string | null,
  block: number,
): Promise<Verdict | undefined> {
  const progress = schema === null ? null : await readProgress(db, schema);
  if (progress === null) return undefined;
  const head = await node.head();
  const impossible = head.block < progress.finalizedBlock && head.at > progress.finalizedAt;
  return impossible ? { kind: "replaced", block, forkBlock: 0 } : undefined;
}

/** The first block after the newest witness (below `below`, if given) that is still part of the chain. */
export async function findFork(db: pg.ClientBase, node: Node, chainId: number, below?: number): Promise<number> {
  const { rows } = await db.query(
    `select block::float8 as block, hash from onchain.block_witness
     where chain_id = $1 and ($2::bigint is null or block < $2) order by block desc`,
    [chainId, below ?? null],
  );
  for (const { block, hash } of rows) {
    if ((await node.blockAt(block))?.hash === hash) return block + 1;
  }
  return 0;
}

/**
 * Forgets everything fetched or witnessed from `forkBlock` on, in one transaction with the step to the next
 * generation: whoever is killed in between finds the old generation with its cache, or the new one without.
 * Only to be called while no Ponder process runs. Ponder keeps `intervals` as multiranges of closed ranges whose upper
 * bound is the last complete block plus one, and cannot read others (ponder/src/sync-store/index.ts).
 * @returns the new generation
 */
export async function startNextGeneration(db: pg.ClientBase, chainId: number, forkBlock: number): Promise<number> {
  return transaction(db, async () => {
    const { rows } = await db.query("select to_regclass('ponder_sync.intervals') is not null as cached");
    if (rows[0].cached) {
      await db.query(
        `update ponder_sync.intervals set blocks = coalesce(
           (select range_agg(kept) from unnest(blocks * nummultirange(numrange(null, $2, '[]'))) kept
            where upper(kept) > lower(kept)), '{}')
         where chain_id = $1`,
        [chainId, forkBlock],
      );
      await db.query("delete from ponder_sync.blocks where chain_id = $1 and number >= $2", [chainId, forkBlock]);
      for (const table of ["transactions", "transaction_receipts", "logs", "traces", "factory_addresses"]) {
        await db.query(`delete from ponder_sync.${table} where chain_id = $1 and block_number >= $2`, [
          chainId,
          forkBlock,
        ]);
      }
      await forgetReads(db, chainId, forkBlock);
    }
    await db.query("delete from onchain.block_witness where chain_id = $1 and block >= $2", [chainId, forkBlock]);
    const next = await db.query("update onchain.index_state set generation = generation + 1 returning generation");
    return next.rows[0].generation;
  });
}

/**
 * Forgets contract reads from `block` on. Ponder keeps reads by block number and drops those of a reorg it sees; a
 * reorg that happens while it is down would leave reads of blocks that no longer exist, hence this at every start.
 */
export async function forgetReads(db: pg.ClientBase, chainId: number, block: number): Promise<void> {
  const { rows } = await db.query("select to_regclass('ponder_sync.rpc_request_results') is not null as cached");
  if (!rows[0].cached) return;
  await db.query(
    "delete from ponder_sync.rpc_request_results where chain_id = $1 and (block_number is null or block_number >= $2)",
    [chainId, block],
  );
}
