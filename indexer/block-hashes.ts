/** Witnesses: blocks the index is built on, with the hashes that Ponder saw itself, held against what the chain says now. */
import type pg from "pg";
import { checkpointBlock, checkpointTime } from "../db/index-state.ts";
import type { BlockId, Node } from "./node.ts";
import { transaction } from "./views.ts";

/** Of what is final, one block in so many is kept, */
const SPARSE = 32;
/** and so many of them: a few hours on Base, enough to find where a deep reorg forked off. */
const KEEP = 400;
/** So far behind the head Ponder takes blocks as final on Base (ponder/src/utils/finality.ts). */
const FINALITY = 30;

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

/** Remembers a block of the chain that there is no witness of. */
export async function remember(db: pg.ClientBase, chainId: number, witness: Pick<BlockId, "block" | "hash">) {
  await db.query("insert into onchain.block_witness values ($1, $2, $3) on conflict do nothing", [
    chainId,
    witness.block,
    witness.hash,
  ]);
}

/**
 * Remembers the blocks that Ponder has seen and builds on. Of those that are not final it may see others later, which
 * take their place; what was taken as final stays as it was. Block 0 stays for ever: it tells one chain from another
 * when nothing else is left to compare.
 * @param seen hashes by number
 * @param finalized what the index has taken as final, null before it has anything
 */
export async function rememberSeen(
  db: pg.ClientBase,
  chainId: number,
  seen: ReadonlyMap<number, string>,
  finalized: number | null,
): Promise<void> {
  if (seen.size === 0) return;
  await db.query(
    `insert into onchain.block_witness
     select $1, block, hash from unnest($2::bigint[], $3::text[]) as seen (block, hash) where block > $4
     on conflict (chain_id, block) do update set hash = excluded.hash`,
    [chainId, [...seen.keys()], [...seen.values()], finalized ?? 0],
  );
  await db.query(
    `delete from onchain.block_witness w where chain_id = $1 and block > 0 and block < $2 and (
       exists (select from onchain.block_witness later
               where later.chain_id = $1 and later.block > w.block and later.block < $2 and later.block / $3 = w.block / $3)
       or block < $2 - $3::bigint * $4)`,
    [chainId, finalized ?? 0, SPARSE, KEEP],
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
 * Compares witnesses with the chain: those next to what `schema` has taken as final, on either side, and the newest
 * final block that it has rows of.
 * @param options.schema null where there is no index as yet: then what is final is counted from the newest witness
 * @param options.genesis compare block 0 as well: another chain altogether may not have reached the others yet
 */
export async function lookAtWitnesses(
  db: pg.ClientBase,
  node: Node,
  chainId: number,
  schema: string | null,
  { genesis = false } = {},
): Promise<Verdict> {
  const progress = schema === null ? null : await readProgress(db, schema);
  const final = await finalBlock(db, chainId, progress);
  const witnesses = await witnessesToCheck(db, chainId, progress === null ? null : schema, final, genesis);
  let behind: Verdict | undefined;
  for (const witness of witnesses) {
    const now = await node.blockAt(witness.block);
    if (now === null) {
      behind = (await replacedByShorter(node, progress, witness.block)) ?? { kind: "behind", block: witness.block };
    } else if (now.hash !== witness.hash) {
      const forkBlock = await findFork(db, node, chainId, final + 1);
      // A block that still holds proves all its ancestors, whatever the node calls block 0: anvil makes a new one at
      // every start and, after several, may show any of them.
      if (witness.block === 0 && forkBlock > 0) continue;
      return { kind: "replaced", block: witness.block, forkBlock };
    }
  }
  if (behind?.kind === "replaced") return { ...behind, forkBlock: await findFork(db, node, chainId, final + 1) };
  return behind ?? { kind: "canonical" };
}

/** The newest block that is final: to an index that is so far, or where there is none as far as witnesses tell. */
export async function finalBlock(db: pg.ClientBase, chainId: number, progress: Progress | null): Promise<number> {
  if (progress !== null) return progress.finalizedBlock;
  const { rows } = await db.query(
    "select coalesce(max(block), 0)::float8 as newest from onchain.block_witness where chain_id = $1",
    [chainId],
  );
  return Math.max(0, rows[0].newest - FINALITY);
}

/**
 * The witness that tells which block `block` was: it, or the next one that was built on it.
 * @returns undefined when nobody saw it
 */
export async function witnessOf(
  db: pg.ClientBase,
  chainId: number,
  block: number,
): Promise<Pick<BlockId, "block" | "hash"> | undefined> {
  const { rows } = await db.query(
    "select block::float8 as block, hash from onchain.block_witness where chain_id = $1 and block >= $2 order by 1 limit 1",
    [chainId, block],
  );
  return rows[0];
}

async function witnessesToCheck(
  db: pg.ClientBase,
  chainId: number,
  schema: string | null,
  final: number,
  genesis: boolean,
) {
  const witnesses = new Map<number, Pick<BlockId, "block" | "hash">>();
  const add = (witness?: Pick<BlockId, "block" | "hash">) => witness && witnesses.set(witness.block, witness);
  const { rows } = await db.query(
    `select block::float8 as block, hash from onchain.block_witness
     where chain_id = $1 and block <= $2 order by 1 desc limit 1`,
    [chainId, final],
  );
  add(rows[0]);
  // What the index was built on and has not reached as yet, while it is built.
  if (schema !== null) add(await witnessOf(db, chainId, final));
  if (genesis) {
    const { rows } = await db.query(
      "select block::float8 as block, hash from onchain.block_witness where chain_id = $1 and block = 0",
      [chainId],
    );
    add(rows[0]);
  }
  if (schema !== null) {
    const { rows } = await db.query(
      `select block::float8 as block, block_hash as hash from "${schema}".index_changes where block <= $1 order by block desc limit 1`,
      [final],
    );
    add(rows[0]);
  }
  return witnesses.values();
}

/**
 * A head below the witness usually means a lagging node. But time never runs backwards along a chain: a head that is
 * lower than the finalized block and yet younger belongs to another chain (a development chain restored from an old
 * state, say).
 */
async function replacedByShorter(node: Node, progress: Progress | null, block: number): Promise<Verdict | undefined> {
  if (progress === null) return undefined;
  const head = await node.head();
  const impossible = head.block < progress.finalizedBlock && head.at > progress.finalizedAt;
  return impossible ? { kind: "replaced", block, forkBlock: 0 } : undefined;
}

/** The first block after the newest witness below `below` that is still part of the chain. */
export async function findFork(db: pg.ClientBase, node: Node, chainId: number, below: number): Promise<number> {
  const { rows } = await db.query(
    `select block::float8 as block, hash from onchain.block_witness
     where chain_id = $1 and block < $2 order by block desc`,
    [chainId, below],
  );
  for (const { block, hash } of rows) {
    if ((await node.blockAt(block))?.hash === hash) return block + 1;
  }
  return 0;
}

/**
 * Where the chain has left what was seen of it above `final`: the first block after those that still hold.
 * @returns null when it has not
 */
async function findSplit(db: pg.ClientBase, node: Node, chainId: number, final: number): Promise<number | null> {
  const { rows } = await db.query(
    "select block::float8 as block, hash from onchain.block_witness where chain_id = $1 and block > $2 order by 1",
    [chainId, final],
  );
  let holds = final;
  // Upwards: Ponder may have seen the new branch too, whose blocks hold and prove nothing of those below.
  for (const { block, hash } of rows) {
    const now = await node.blockAt(block);
    if (now === null) return null;
    if (now.hash !== hash) return holds + 1;
    holds = block;
  }
  return null;
}

/**
 * Forgets what was fetched of blocks that were not final and are gone: a Ponder that was ended at its start has them in
 * its cache, and would believe it. Only to be called while no Ponder process runs.
 */
export async function forgetReplaced(
  db: pg.ClientBase,
  node: Node,
  chainId: number,
  final: number,
): Promise<number | null> {
  const split = await findSplit(db, node, chainId, final);
  if (split !== null) await transaction(db, () => forgetFrom(db, chainId, split));
  return split;
}

/**
 * Forgets everything fetched or witnessed from `forkBlock` on, in one transaction with the step to the next
 * generation: whoever is killed in between finds the old generation with its cache, or the new one without.
 * Only to be called while no Ponder process runs.
 * @returns the new generation
 */
export async function startNextGeneration(db: pg.ClientBase, chainId: number, forkBlock: number): Promise<number> {
  return transaction(db, async () => {
    await forgetFrom(db, chainId, forkBlock);
    const next = await db.query("update onchain.index_state set generation = generation + 1 returning generation");
    return next.rows[0].generation;
  });
}

/**
 * Forgets everything fetched or witnessed from `forkBlock` on. Ponder keeps `intervals` as multiranges of closed ranges
 * whose upper bound is the last complete block plus one, and cannot read others (ponder/src/sync-store/index.ts).
 */
async function forgetFrom(db: pg.ClientBase, chainId: number, forkBlock: number): Promise<void> {
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
