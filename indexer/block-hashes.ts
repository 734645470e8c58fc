/** Hashes of the blocks that the index is built on, as Ponder saw them, and their comparison with the chain. */
import type pg from "pg";
import { array, int4, int8, text } from "../db/sql/columns.ts";
import { family, statement } from "../db/sql/statement.ts";
import { type Queryable, transaction } from "../db/sql/transaction.ts";
import type { Hole } from "./completeness.ts";
import type { Node } from "./node.ts";
import { type BlockHash, deleteCachedBlocks, EXAMPLE_SCHEMA, forgetFetched, type Progress } from "./ponder-tables.ts";

/** Keep the hash of the newest block of each 32 final blocks. */
const KEEP_EVERY = 32;
/** Keep 400 hashes of final blocks: a few hours on Base, enough to find the fork of a deep reorg. */
const MAX_FINAL_HASHES = 400;
/** Number of blocks behind the head from which Ponder treats blocks as final on Base (ponder/src/utils/finality.ts). */
export const FINALITY_BLOCKS = 30;

const INSERT = statement({
  name: "block-hash-insert",
  params: { chainId: int8, block: int8, hash: text },
  text: "insert into onchain.block_hash values ($chainId, $block, $hash) on conflict do nothing",
});

/** Records the hash of a block that has none yet. */
export async function recordHash(db: Queryable, chainId: number, { block, hash }: BlockHash): Promise<void> {
  await INSERT.run(db, { chainId, block, hash });
}

/** Writes blocks that are not final, and thins out those that are: no row of both. */
const RECORD_SEEN = statement({
  name: "block-hash-record-seen",
  params: {
    ...{ chainId: int8, blocks: array(int8), hashes: array(text), finalized: int8 },
    ...{ keepEvery: int8, maxFinal: int8 },
  },
  text: `
    with thinned_out as (
      delete from onchain.block_hash h where chain_id = $chainId and block > 0 and block < $finalized and (
        exists (select from onchain.block_hash later
                where later.chain_id = $chainId and later.block > h.block and later.block < $finalized
                  and later.block / $keepEvery = h.block / $keepEvery)
        or block < $finalized - $keepEvery * $maxFinal)
    )
    insert into onchain.block_hash
    select $chainId::int8, block, hash from unnest($blocks::int8[], $hashes::text[]) as seen (block, hash)
    where block > $finalized
    on conflict (chain_id, block) do update set hash = excluded.hash`,
});

/**
 * Records the blocks that Ponder has seen and builds on. A block that is not final can be replaced later by another;
 * the hash of a final block does not change any more. Block 0 is kept always: it distinguishes two chains when no other
 * block is left to compare.
 * @param seen hashes by block number
 * @param finalized the last block that is final for the index; null before there is one
 */
export async function recordSeenHashes(
  db: Queryable,
  chainId: number,
  seen: ReadonlyMap<number, string>,
  finalized: number | null,
): Promise<void> {
  if (seen.size === 0) return;
  const [blocks, hashes] = [[...seen.keys()], [...seen.values()]];
  const kept = { keepEvery: KEEP_EVERY, maxFinal: MAX_FINAL_HASHES };
  await RECORD_SEEN.run(db, { chainId, blocks, hashes, finalized: finalized ?? 0, ...kept });
}

/** Result of a comparison of recorded hashes with the chain. */
export type Verdict =
  /** Every block that could be compared is part of the chain. */
  | { kind: "canonical" }
  /** The node has not reached the block (it lags or syncs): no judgement is possible. */
  | { kind: "behind"; block: number }
  /** A block that is final for the index was replaced; rows from `forkBlock` on can be wrong. */
  | { kind: "replaced"; block: number; forkBlock: number };

/**
 * Compares recorded hashes with the chain: of the blocks next to the finalized block of the index, below and above it, and
 * of the newest final block that it has rows of.
 * @param index null while there is none: then the final block follows from the newest recorded hash
 * @param options.genesis compare block 0 as well: a different chain may not have reached the other blocks yet
 * @throws NodeUnavailable when the node does not answer
 */
export async function checkBlockHashes(
  db: Queryable,
  node: Node,
  chainId: number,
  index: { schema: string; progress: Progress } | null,
  { genesis = false } = {},
): Promise<Verdict> {
  const progress = index?.progress ?? null;
  const final = await lastFinalBlock(db, chainId, progress);
  const schema = index?.schema ?? null;
  const recorded = await HASHES_TO_CHECK.rows(db, { schema, chainId, final, genesis });
  let behind: Verdict | undefined;
  // What the index has rows of comes last, and counts more than what was seen.
  for (const [block, hash] of new Map(recorded.map(({ block, hash }) => [block, hash]))) {
    const current = await node.blockAt(block);
    if (current === null) {
      behind = (await replacedByShorter(node, progress, block)) ?? { kind: "behind", block };
    } else if (current.hash !== hash) {
      const forkBlock = await findFork(db, node, chainId, final + 1);
      // A later block with the recorded hash proves all its ancestors, also when the node answers another block 0: anvil
      // makes a new block 0 at every start and can answer any of them after several starts.
      if (block === 0 && forkBlock > 0) continue;
      return { kind: "replaced", block, forkBlock };
    }
  }
  if (behind?.kind === "replaced") return { ...behind, forkBlock: await findFork(db, node, chainId, final + 1) };
  return behind ?? { kind: "canonical" };
}

const NEWEST = statement({
  name: "block-hash-newest",
  params: { chainId: int8 },
  text: "select coalesce(max(block), 0) as newest from onchain.block_hash where chain_id = $chainId",
  columns: { newest: int8 },
});

/** The last final block: the finalized block of the index, or without an index 30 blocks below the newest recorded hash. */
export async function lastFinalBlock(db: Queryable, chainId: number, progress: Progress | null): Promise<number> {
  if (progress !== null) return progress.finalizedBlock;
  const { newest } = await NEWEST.one(db, { chainId });
  return Math.max(0, newest - FINALITY_BLOCKS);
}

const COLUMNS = { block: int8, hash: text };
const FROM_BLOCK = statement({
  name: "block-hash-from",
  params: { chainId: int8, block: int8 },
  text: `
    select block, hash from onchain.block_hash where chain_id = $chainId and block >= $block order by block limit 1`,
  columns: COLUMNS,
});

/**
 * The recorded hash that proves which block `block` was: its own, or that of the next block built on it.
 * @returns null when neither is recorded
 */
export const hashFrom = (db: Queryable, chainId: number, block: number): Promise<BlockHash | null> =>
  FROM_BLOCK.maybeOne(db, { chainId, block });

/** What was seen of the final block, or of the blocks next to it; then what the index has rows of. */
const HASHES_TO_CHECK = family({
  name: "block-hashes-to-check",
  text: ({ schema, chainId, final, genesis }: ToCheck, $) => {
    const seen = `select block, hash from onchain.block_hash where chain_id = ${$(chainId)} and block`;
    const newest = "order by block desc limit 1";
    // While an index is built: a block that it is built on and has not reached yet.
    const ofIndex = (name: string) => `
      union all (select 1, block, hash from (${seen} >= ${$(final)} order by block limit 1) later)
      union all (select 3, block, block_hash from "${name}".index_changes where block <= ${$(final)} ${newest})`;
    return `
      (select 0 as place, block, hash from (${seen} <= ${$(final)} ${newest}) final)
      ${genesis ? `union all (select 2, block, hash from (${seen} <= 0 ${newest}) genesis)` : ""}
      ${schema === null ? "" : ofIndex(schema)}
      order by place`;
  },
  columns: { place: int4, block: int8, hash: text },
  examples: [null, EXAMPLE_SCHEMA].flatMap((schema) =>
    [false, true].map((genesis) => ({ schema, chainId: 1, final: 1, genesis })),
  ),
});
type ToCheck = { schema: string | null; chainId: number; final: number; genesis: boolean };

/**
 * A head below a recorded block usually means that the node lags. But block times only increase along a chain: a head
 * with a lower number than the finalized block and a later time belongs to another chain (a development chain restored
 * from an old state, for example).
 */
async function replacedByShorter(node: Node, progress: Progress | null, block: number): Promise<Verdict | undefined> {
  if (progress === null) return undefined;
  const head = await node.head();
  const impossible = head.block < progress.finalizedBlock && head.at > progress.finalizedAt;
  return impossible ? { kind: "replaced", block, forkBlock: 0 } : undefined;
}

const BELOW_BLOCK = statement({
  name: "block-hash-below",
  params: { chainId: int8, block: int8 },
  text: "select block, hash from onchain.block_hash where chain_id = $chainId and block < $block order by block desc",
  columns: COLUMNS,
});

/** Finds the first block after the newest recorded one below `below` that is still part of the chain. */
export async function findFork(db: Queryable, node: Node, chainId: number, below: number): Promise<number> {
  for (const { block, hash } of await BELOW_BLOCK.rows(db, { chainId, block: below })) {
    if ((await node.blockAt(block))?.hash === hash) return block + 1;
  }
  return 0;
}

const ABOVE_BLOCK = statement({
  name: "block-hash-above",
  params: { chainId: int8, block: int8 },
  text: "select block, hash from onchain.block_hash where chain_id = $chainId and block > $block order by block",
  columns: COLUMNS,
});

/**
 * Finds where the chain differs from the recorded blocks above `final`: the first block after those that are unchanged.
 * @returns null when none differs
 */
async function findDivergence(db: Queryable, node: Node, chainId: number, final: number): Promise<number | null> {
  let unchanged = final;
  // Upwards: Ponder may have seen the new branch too. Its blocks match and prove nothing of the blocks below them.
  for (const { block, hash } of await ABOVE_BLOCK.rows(db, { chainId, block: final })) {
    const current = await node.blockAt(block);
    if (current === null) return null;
    if (current.hash !== hash) return unchanged + 1;
    unchanged = block;
  }
  return null;
}

/**
 * Deletes the cache of blocks that were not final and were replaced: a Ponder process that was ended during its start
 * has them in its cache and would use them. Call it only while no Ponder process runs.
 * @returns the first block whose cache was deleted; null when nothing was replaced
 */
export async function deleteReplaced(
  db: pg.Client,
  node: Node,
  chainId: number,
  final: number,
): Promise<number | null> {
  const from = await findDivergence(db, node, chainId, final);
  if (from !== null) await transaction(db, (tx) => deleteFrom(tx, chainId, from));
  return from;
}

const NEXT_GENERATION = statement({
  name: "index-next-generation",
  text: "update onchain.index_state set generation = generation + 1 returning generation",
  columns: { generation: int4 },
});

/**
 * Deletes the cache and the recorded hashes from `forkBlock` on, in one transaction with the step to the next
 * generation: a launcher that is killed leaves the old generation with its cache, or the new one without it.
 * Call it only while no Ponder process runs.
 * @returns the new generation
 */
export async function startNextGeneration(db: pg.Client, chainId: number, forkBlock: number): Promise<number> {
  return transaction(db, async (tx) => {
    await deleteFrom(tx, chainId, forkBlock);
    return (await NEXT_GENERATION.one(tx)).generation;
  });
}

/**
 * Lets the next run read the holes again and build a new index while the present one is served, in one transaction.
 * Call it only while no Ponder process runs.
 */
export async function refillHoles(db: pg.Client, chainId: number, holes: readonly Hole[]): Promise<void> {
  await transaction(db, async (tx) => {
    for (const { address, from, to } of holes)
      await forgetFetched(tx, { chainId, address, fromBlock: from, toBlock: to });
    await NEXT_GENERATION.one(tx);
  });
}

const DELETE_FROM = statement({
  name: "block-hash-delete-from",
  params: { chainId: int8, block: int8 },
  text: "delete from onchain.block_hash where chain_id = $chainId and block >= $block",
});

async function deleteFrom(tx: Queryable, chainId: number, block: number): Promise<void> {
  await deleteCachedBlocks(tx, chainId, block);
  await DELETE_FROM.run(tx, { chainId, block });
}
