/** Ponder's own tables, as far as the launcher reads and writes them: checkpoint, lock, and the cache in `ponder_sync`. */
import type pg from "pg";
import { checkpointBlock, checkpointTime } from "../db/operations/index-state.ts";
import { array, bool, int8, jsonb, nullable, text } from "../db/sql/columns.ts";
import { family, statement } from "../db/sql/statement.ts";
import { type Queryable, transaction } from "../db/sql/transaction.ts";
import type { FetchOnly } from "./preload/fetch-only.ts";

/** Table of an index schema in which Ponder keeps its checkpoints. */
export const CHECKPOINT = "_ponder_checkpoint";

/** How far an index is. Blocks are numbers, times Unix seconds. */
export type Progress = { block: number; at: number; finalizedBlock: number; finalizedAt: number; ready: boolean };

/** A block number with its hash. */
export type BlockHash = { block: number; hash: string };

/** The schema name that the test of declared statements uses. */
export const EXAMPLE_SCHEMA = "index_0000000000_0";

const PROGRESS = family({
  name: "index-progress",
  text: (schema: string) => `
    select ${checkpointBlock("c.latest_checkpoint")} as block,
           ${checkpointTime("c.latest_checkpoint")} as at,
           ${checkpointBlock("c.finalized_checkpoint")} as "finalizedBlock",
           ${checkpointTime("c.finalized_checkpoint")} as "finalizedAt",
           coalesce((select value ->> 'is_ready' from "${schema}"._ponder_meta where key = 'app'), '0') = '1' as ready
    from "${schema}".${CHECKPOINT} c limit 1`,
  columns: { block: int8, at: int8, finalizedBlock: int8, finalizedAt: int8, ready: bool },
  examples: [EXAMPLE_SCHEMA],
});

/** undefined_table and invalid_schema_name: Ponder has not created the tables yet. */
const NO_TABLES = ["42P01", "3F000"];

/** @returns null while the index has no checkpoint, or no tables at all */
export async function readProgress(db: Queryable, schema: string): Promise<Progress | null> {
  try {
    return await PROGRESS.maybeOne(db, schema);
  } catch (error) {
    if (NO_TABLES.includes((error as { code?: string }).code ?? "")) return null;
    throw error;
  }
}

const EXISTS = statement({
  name: "relation-exists",
  params: { relation: text },
  text: "select to_regclass($relation) is not null as there",
  columns: { there: bool },
});

const UNLOCK = family({
  name: "index-unlock",
  text: (schema: string) => `
    update "${schema}"._ponder_meta set value = value || '{"is_locked": 0, "is_ready": 0}' where key = 'app'`,
  examples: [EXAMPLE_SCHEMA],
});
const DROP_ANNOUNCE = family({
  name: "index-drop-announce",
  text: (schema: string) => `drop trigger if exists onchain_announce on "${schema}".${CHECKPOINT}`,
  examples: [EXAMPLE_SCHEMA],
});
const REWIND_CHECKPOINT = family({
  name: "index-rewind-checkpoint",
  text: (schema: string) => `update "${schema}".${CHECKPOINT} set latest_checkpoint = safe_checkpoint`,
  examples: [EXAMPLE_SCHEMA],
});

/**
 * Marks the schema as free for a new Ponder process (which would wait 25 s for the heartbeat of a killed one), and sets
 * the checkpoint back to the block that Ponder will roll the rows back to: progress never includes rows that are not
 * there. Call it only while no Ponder process runs on the schema.
 */
export async function unlockSchema(db: pg.Client, schema: string): Promise<void> {
  if (!(await EXISTS.one(db, { relation: `"${schema}"._ponder_meta` })).there) return;
  await transaction(db, async (tx) => {
    await UNLOCK.run(tx, schema);
    await DROP_ANNOUNCE.run(tx, schema);
    await REWIND_CHECKPOINT.run(tx, schema);
  });
}

type Beginning = { schema: string; chainId: number; block: number; at: number; part: FetchOnly };
const examples: Beginning[] = [{ schema: EXAMPLE_SCHEMA, chainId: 1, block: 1, at: 1, part: { from: {}, to: 1 } }];
const digits = (value: number, length: number) => String(value).padStart(length, "0");
const SET_CHECKPOINT = family({
  name: "index-set-checkpoint",
  text: ({ schema, chainId, block, at }: Beginning, $) => `
    insert into "${schema}".${CHECKPOINT} select 'base', ${$(chainId)}::int8, place, place, place
    from (select ${$(digits(at, 10) + digits(chainId, 16) + digits(block, 16) + "9".repeat(33))}::text) at (place)`,
  examples,
});
const SET_PART = family({
  name: "index-set-part",
  text: ({ schema, part }: Beginning) => `comment on schema "${schema}" is '${JSON.stringify(part)}'`,
  examples,
});

/**
 * Says that the rows of an index, which its handlers did not write, have every event up to the end of a final block, and which
 * part of the history it reads itself. The schema's comment says it: it goes when the schema does, whoever drops that.
 */
export async function beginAt(db: Queryable, beginning: Beginning): Promise<void> {
  await SET_CHECKPOINT.run(db, beginning);
  await SET_PART.run(db, beginning);
}

const BEGUN = statement({
  name: "index-begun",
  params: { schema: text },
  text: "select obj_description(to_regnamespace($schema), 'pg_namespace')::jsonb as part",
  columns: { part: nullable(jsonb<FetchOnly>()) },
});

/** The part of the history that an index reads; undefined: all of it, for it did not begin with rows of another. */
export const historyOf = async (db: Queryable, schema: string): Promise<FetchOnly | undefined> =>
  (await BEGUN.one(db, { schema })).part ?? undefined;

/**
 * Ponder keeps `intervals` as multiranges of closed ranges whose upper bound is the last complete block plus one, and
 * cannot read others (ponder/src/sync-store/index.ts).
 */
const CUT_INTERVALS = statement({
  name: "ponder-cut-intervals",
  params: { chainId: int8, fromBlock: int8 },
  text: `
    update ponder_sync.intervals set blocks = coalesce(
      (select range_agg(kept) from unnest(blocks * nummultirange(numrange(null, $fromBlock::int8, '[]'))) kept
       where upper(kept) > lower(kept)), '{}')
    where chain_id = $chainId`,
});

const CUT_HOLE = statement({
  name: "ponder-cut-hole",
  params: { chainId: int8, address: text, fromBlock: int8, toBlock: int8 },
  text: `
    update ponder_sync.intervals set blocks = coalesce(
      (select range_agg(kept) from unnest(blocks - nummultirange(numrange($fromBlock::int8, $toBlock::int8 + 1, '()'))) kept
       where upper(kept) > lower(kept)), '{}')
    where chain_id = $chainId and starts_with(fragment_id, 'log_') and split_part(fragment_id, '_', 3) = lower($address)`,
});

/**
 * Lets the next start of Ponder read the logs of a contract's blocks again, both ends included. What the cache has of them
 * stays, for it is part of the chain. Call it only while no Ponder process runs.
 */
export async function forgetFetched(
  db: Queryable,
  hole: { chainId: number; address: string; fromBlock: number; toBlock: number },
): Promise<void> {
  if (!(await EXISTS.one(db, { relation: "ponder_sync.intervals" })).there) return;
  await CUT_HOLE.run(db, hole);
}

/** Ponder names a fragment of a log filter `log_<chain>_<address>_<topics>_<receipts>` (ponder/src/runtime/fragments.ts). */
const CACHED_RANGES = statement({
  name: "ponder-cached-ranges",
  params: { chainId: int8 },
  text: `
    select contract.address, coalesce((
        select jsonb_agg(jsonb_build_array(lower(r)::int8, upper(r)::int8 - 1) order by r)
        from unnest(contract.blocks) r), '[]') as ranges
    from (
      select split_part(fragment_id, '_', 3) as address, range_intersect_agg(blocks) as blocks
      from ponder_sync.intervals
      where chain_id = $chainId and starts_with(fragment_id, 'log_')
      group by split_part(fragment_id, '_', 3)) contract`,
  columns: { address: text, ranges: jsonb<[from: number, to: number][]>() },
});

/** Blocks whose logs are in the cache, by address of the contract in lower case: ranges with both ends included. */
export async function cachedRanges(db: Queryable, chainId: number): Promise<Map<string, [from: number, to: number][]>> {
  if (!(await EXISTS.one(db, { relation: "ponder_sync.intervals" })).there) return new Map();
  const rows = await CACHED_RANGES.rows(db, { chainId });
  return new Map(rows.map(({ address, ranges }) => [address, ranges]));
}

/** Tables of the cache with the column that holds the block number. */
const CACHE_TABLES = [
  ["blocks", "number"],
  ["transactions", "block_number"],
  ["transaction_receipts", "block_number"],
  ["logs", "block_number"],
  ["traces", "block_number"],
  ["factory_addresses", "block_number"],
] as const;

type CacheRange = { table: (typeof CACHE_TABLES)[number]; chainId: number; fromBlock: number };
const DELETE_CACHED = family({
  name: "ponder-delete-cached",
  text: ({ table: [table, block], chainId, fromBlock }: CacheRange, $) =>
    `delete from ponder_sync.${table} where chain_id = ${$(chainId)} and ${block} >= ${$(fromBlock)}`,
  examples: CACHE_TABLES.map((table) => ({ table, chainId: 1, fromBlock: 1 })),
});

/** Deletes everything that Ponder has cached of the chain from `fromBlock` on. Call it only while no Ponder process runs. */
export async function deleteCachedBlocks(db: Queryable, chainId: number, fromBlock: number): Promise<void> {
  if (!(await EXISTS.one(db, { relation: "ponder_sync.intervals" })).there) return;
  await CUT_INTERVALS.run(db, { chainId, fromBlock });
  for (const table of CACHE_TABLES) await DELETE_CACHED.run(db, { table, chainId, fromBlock });
  await deleteCachedReads(db, chainId, fromBlock);
}

const DELETE_READS = statement({
  name: "ponder-delete-reads",
  params: { chainId: int8, fromBlock: int8 },
  text: `
    delete from ponder_sync.rpc_request_results
    where chain_id = $chainId and (block_number is null or block_number >= $fromBlock)`,
});

/**
 * Deletes cached contract reads from `fromBlock` on. Ponder keeps reads by block number and deletes those of a reorg
 * that it sees. A reorg while Ponder is down leaves reads of blocks that no longer exist; each start deletes them.
 */
export async function deleteCachedReads(db: Queryable, chainId: number, fromBlock: number): Promise<void> {
  if (!(await EXISTS.one(db, { relation: "ponder_sync.rpc_request_results" })).there) return;
  await DELETE_READS.run(db, { chainId, fromBlock });
}

const COLUMNS_OF = statement({
  name: "relation-columns",
  params: { schema: text, relations: array(text) },
  text: `
    select c.relname::text as relation,
           string_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod), ',' order by a.attnum) as columns
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where n.nspname = $schema::text and c.relname = any($relations::text[])
    group by c.relname`,
  columns: { relation: text, columns: text },
});

/** Names and types of the columns, in order, as one comparable text per relation. */
export async function columnsOf(db: Queryable, schema: string, relations: string[]): Promise<Map<string, string>> {
  const rows = await COLUMNS_OF.rows(db, { schema, relations });
  return new Map(rows.map(({ relation, columns }) => [relation, columns]));
}
