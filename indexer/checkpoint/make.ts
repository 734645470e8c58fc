/**
 * Makes a checkpoint: the rows of the served index as they were at its final block, while it goes on. Nothing of Ponder's own
 * tables is in it: who takes it has the same build, and asks its own nodes about the block.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type pg from "pg";
import type { ReceiptSigner } from "../../clients/ports.ts";
import { createReceiptSigner } from "../../clients/signer.ts";
import { copyOut } from "../../columns/copy-rows.ts";
import type { Config } from "../../config/config.ts";
import type { Hex } from "../../core/agents/facts.ts";
import { type CheckpointContent, checkpointFile, checkpointId } from "../../core/snapshots/checkpoint.ts";
import { snapshotDigest } from "../../core/snapshots/manifest.ts";
import { snapshotFolder } from "../../db/snapshots/folder.ts";
import { array, int8, text } from "../../db/sql/columns.ts";
import { openClient } from "../../db/sql/connect.ts";
import { type Row, statement } from "../../db/sql/statement.ts";
import { transaction, withoutTimeLimits } from "../../db/sql/transaction.ts";
import { LinesFile } from "../../runtime/lines-file.ts";
import { hashFrom } from "../block-hashes.ts";
import { readProgress } from "../ponder-tables.ts";
import { indexBuild, indexSchema, LaunchError } from "../schema-name.ts";
import { readServed } from "../views.ts";

/**
 * @param folder that the checkpoint's own folder is made in
 * @returns the manifest; everything is on the disk
 * @throws LaunchError in words for the operator
 */
export async function makeCheckpoint(config: Config, folder: string) {
  const { database, receipts } = config;
  if (!database.indexerUrl) throw new LaunchError("DATABASE_URL is not set and no local stack is running.");
  if (!receipts.privateKey)
    throw new LaunchError("RECEIPT_SIGNER_PRIVATE_KEY is not set: a checkpoint counts by the signature of its key.");
  const signer = createReceiptSigner(receipts.privateKey);
  const db = openClient({ connectionString: database.indexerUrl, application_name: "checkpoint" });
  try {
    await db.connect();
    const begin = withoutTimeLimits("begin isolation level repeatable read read only");
    return await transaction(db, (tx) => writeCheckpoint(tx, config, folder, signer), begin);
  } finally {
    await db.end();
  }
}

async function writeCheckpoint(tx: pg.ClientBase, config: Config, folder: string, signer: ReceiptSigner) {
  const { schema, block, blockHash } = await finalState(tx, config);
  const id = checkpointId(block);
  if (existsSync(join(folder, id))) throw new LaunchError(`${join(folder, id)} is there already.`);
  const tables = await TABLES.rows(tx, { schema });
  const place = snapshotFolder(folder);
  await place.tidy();
  const unfinished = place.begin(tables.reduce((sum, { bytes }) => sum + bytes, 0));
  try {
    const files: CheckpointContent["files"] = {};
    for (const table of tables) {
      const name = checkpointFile(table.name);
      files[name] = { table: table.name, ...(await writeTable(tx, schema, table, join(unfinished.folder, name))) };
    }
    const content: CheckpointContent = {
      ...{ format: "index-checkpoint", schemaVersion: 1, id, block, blockHash, files },
      ...{ chainId: config.chain.id, registry: config.indexed.Identity.address, build: indexBuild(config) },
    };
    const signature = { signer: signer.address, signature: await signer.sign(snapshotDigest(content)) };
    const manifest = { ...content, signature };
    await unfinished.finish(manifest, `# ${id}\n\nSee "Checkpoints" in docs/operate/operations.md.\n`);
    return manifest;
  } finally {
    unfinished.end();
  }
}

/** Of the index that is served: its schema, and its final block as it was seen. @throws LaunchError where none of this build is right */
async function finalState(tx: pg.ClientBase, config: Config) {
  const { generation, schema, reason } = await readServed(tx);
  const own = indexSchema(indexBuild(config), generation);
  if (reason !== null) throw new LaunchError(`The index is not what its chain says: ${reason}`);
  const progress = schema === own ? await readProgress(tx, own) : null;
  if (!progress?.ready) throw new LaunchError("No index of this build is served: let it catch up first.");
  const block = progress.finalizedBlock;
  const seen = await hashFrom(tx, config.chain.id, block);
  if (seen?.block !== block) throw new LaunchError(`Nobody has seen yet which block ${block} is: let the indexer run.`);
  return { schema: own, block, blockHash: seen.hash as Hex };
}

const names = array(text);
/** The tables of an index, with their columns and keys as SQL names them. */
const TABLES = statement({
  name: "checkpoint-tables",
  params: { schema: text },
  text: `
    select c.relname::text as name, pg_table_size(c.oid) as bytes,
      array_agg(quote_ident(a.attname) order by a.attnum) as columns,
      array_agg(quote_ident(a.attname) order by array_position(i.indkey::int2[], a.attnum))
        filter (where a.attnum = any (i.indkey::int2[])) as key
    from pg_class c
    join pg_index i on i.indrelid = c.oid and i.indisprimary
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = to_regnamespace($schema) and left(c.relname, 1) <> '_' group by c.oid order by 1`,
  columns: { name: text, bytes: int8, columns: names, key: names },
});

async function writeTable(tx: pg.ClientBase, schema: string, table: Row<typeof TABLES>, path: string) {
  const file = new LinesFile(path);
  try {
    // The file ends each line itself.
    await copyOut(tx, `copy (${finalRows(schema, table)}) to stdout`, (line) => file.write(line.subarray(0, -1)));
    return file.finish();
  } finally {
    file.close();
  }
}

/**
 * The rows at the final block. Ponder keeps of each change above it the row before, to go back to: of what was changed the
 * first such row counts, and none of what was made there. In the order of the key they are loaded twice as fast.
 */
function finalRows(schema: string, { name, columns, key }: Row<typeof TABLES>): string {
  const changes = `"${schema}"."_reorg__${name}"`;
  const same = key.map((column) => `c.${column} = r.${column}`).join(" and ");
  return `
    select ${columns} from "${schema}"."${name}" r where not exists (select from ${changes} c where ${same})
    union all select ${columns} from (select distinct on (${key}) * from ${changes} order by ${key}, operation_id) first
    where operation <> 0 order by ${key}`;
}
