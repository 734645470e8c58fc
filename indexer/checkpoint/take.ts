/**
 * Begins an index with a checkpoint: what it is and who signed it, then its block and some of its rows against the operator's
 * own nodes. All of it counts or nothing: the rows are written in one transaction, and its schema is dropped at a refusal.
 */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import type pg from "pg";
import { copyIn } from "../../columns/copy-rows.ts";
import type { Config } from "../../config/config.ts";
import { type CheckpointManifest, checkpointFile, readCheckpoint } from "../../core/snapshots/checkpoint.ts";
import { MANIFEST_FILE, manifestSigner } from "../../core/snapshots/manifest.ts";
import { transaction, withoutTimeLimits } from "../../db/sql/transaction.ts";
import { fileDigest } from "../../runtime/file-digest.ts";
import { FINALITY_BLOCKS, recordHash } from "../block-hashes.ts";
import { NoJudgement } from "../completeness.ts";
import type { BlockId, Node, Nodes } from "../node.ts";
import { withPonder } from "../ponder-process.ts";
import { beginAt, readProgress, unlockSchema } from "../ponder-tables.ts";
import type { FetchOnly } from "../preload/fetch-only.ts";
import { LaunchError } from "../schema-name.ts";
import type { Session } from "../session.ts";
import { analyze, dropSchema, indexTables, readServed } from "../views.ts";
import { differenceIn, tellsOwners } from "./spot-check.ts";

/** Max bytes of a manifest; one of twenty tables has five thousand. */
const MAX_MANIFEST_BYTES = 1 << 20;

/** A checkpoint to begin with. @param signer the account that is trusted; undefined: none yet */
export type GivenCheckpoint = { folder: string; signer: string | undefined };

/** Says to the operator why a checkpoint does not count. */
const refused = (reason: string) => new LaunchError(`the checkpoint is refused: ${reason}.`);

type Taking = {
  session: Session;
  nodes: Nodes;
  env: Record<string, string | undefined>;
  /** Prepared for a start of Ponder. */
  schema: string;
  given: GivenCheckpoint;
};

/**
 * Makes the index of this build from a checkpoint, where there is none yet. Call it only while no Ponder process runs.
 * @returns null when it is there; else why it has to be tried again
 * @throws LaunchError with the reason of a refusal
 */
export async function takeCheckpoint({ session, nodes, env, schema, given }: Taking): Promise<string | null> {
  const { db, build, config, log, stopping } = session;
  // One that had to be made anew reads the history: what it lacked can be what the checkpoint lacks.
  if ((await readServed(db)).schema?.startsWith(build) || (await readProgress(db, schema)) !== null) {
    log.info(`an index of this build is there already (${schema}): it goes on, and no checkpoint is taken`);
    return null;
  }
  const manifest = await manifestOf(given, session);
  const final = await finalBlock(manifest, nodes.node);
  if (typeof final === "string") return final;
  const compared = { pool: nodes.pool, indexed: config.indexed, block: final.block };
  if (!(await tellsOwners(compared))) throw refused(`no node has the state of its block ${final.block}`);
  const part = historySince(final.block, config);
  await dropSchema(db, schema);
  try {
    const fetchOnly = { ...part, tablesOnly: true };
    const start = { schema, env, fetchOnly, listen: { host: "127.0.0.1", port: undefined } };
    const how = await withPonder(session, start, ({ ended }) => Promise.race([ended, once(stopping, "abort")]));
    const tables = await indexTables(db, schema);
    if (tables.length === 0) return `Ponder made no tables (${how})`;
    const fill = async (tx: pg.ClientBase) => {
      await load(tx, { schema, tables, files: manifest.files, folder: given.folder, stopping });
      const difference = await differenceIn(tx, schema, compared);
      if (difference !== null) throw refused(difference);
      await beginAt(tx, { ...final, schema, chainId: manifest.chainId, part });
      await recordHash(tx, manifest.chainId, final);
    };
    await transaction(db, fill, withoutTimeLimits());
    // The process that made its tables has left its lock.
    await unlockSchema(db, schema);
  } catch (error) {
    if (stopping.aborted) return "asked to stop";
    if (error instanceof NoJudgement) return "no node lets the checkpoint's rows be compared";
    if (error instanceof LaunchError) await dropSchema(db, schema);
    throw error;
  }
  log.info(`the index begins with ${manifest.id}, signed by ${manifest.signature.signer}`);
  return null;
}

/** The history from a block on. What the rows have of the block itself is not indexed again. */
function historySince(block: number, { chain, indexed }: Config): FetchOnly {
  const contracts = Object.entries({ Erc8004Validation: undefined, ...indexed });
  const from = contracts.map(([name, contract]) => [name, Math.max(block, contract?.startBlock ?? 0)]);
  return { from: Object.fromEntries(from), to: chain.endBlock };
}

/** @returns the manifest of files that are what it says, for this service, by the signer who is trusted */
async function manifestOf({ folder, signer }: GivenCheckpoint, { config, build }: Session) {
  const path = join(folder, MANIFEST_FILE);
  const manifest = await stat(path)
    .then(async ({ size }) => (size > MAX_MANIFEST_BYTES ? null : readCheckpoint(await readFile(path, "utf8"))))
    .catch(unreadable(MANIFEST_FILE));
  if (manifest === null) throw refused(`${path} is no manifest that this version reads`);
  const signed = manifestSigner(manifest);
  if (signed === null) throw refused("its manifest was changed after it was signed");
  if (signed !== signer?.toLowerCase())
    throw refused(`${signed} has signed it, and --signer trusts ${signer ?? "nobody"}`);
  if (manifest.build !== build || manifest.chainId !== config.chain.id)
    throw refused(
      `it is of ${manifest.build} on chain ${manifest.chainId}, and this build is ${build} on ${config.chain.id}`,
    );
  // Before a byte of them is unpacked: whoever copied the files here is trusted with nothing.
  for (const [name, { sha256 }] of Object.entries(manifest.files)) {
    if ((await fileDigest(join(folder, name)).catch(unreadable(name))) !== sha256) throw otherFile(name);
  }
  return manifest;
}

const otherFile = (name: string) => refused(`${name} is not the file of the manifest: its SHA-256 differs`);
const unreadable = (name: string) => (error: Error) => {
  throw refused(`${name} cannot be read: ${error.message}`);
};

/** @returns the checkpoint's block, as the nodes have it; or why they cannot say yet @throws NodeUnavailable */
async function finalBlock({ block, blockHash }: CheckpointManifest, node: Node): Promise<BlockId | string> {
  const head = await node.head();
  const why = `its block ${block} is not final: the nodes are at block ${head.block}`;
  if (head.block < block) throw refused(why);
  const found = head.block < block + FINALITY_BLOCKS ? null : await node.blockAt(block);
  if (found === null) return why;
  if (found.hash !== blockHash) throw refused(`its block ${block} is ${blockHash}, and on the chain ${found.hash}`);
  return found;
}

type Loaded = Pick<CheckpointManifest, "files"> & {
  folder: string;
  schema: string;
  tables: readonly string[];
  stopping: AbortSignal;
};

async function load(tx: pg.ClientBase, { files, folder, schema, tables, stopping }: Loaded): Promise<void> {
  const odd = new Set(tables.map(checkpointFile)).symmetricDifference(new Set(Object.keys(files)));
  if (odd.size > 0) throw refused(`its files are not those of the index's tables: ${[...odd].join(", ")}`);
  for (const table of tables) {
    const name = checkpointFile(table);
    const hash = createHash("sha256");
    const file = createReadStream(join(folder, name)).on("data", (bytes) => void hash.update(bytes));
    const copied = (lines: AsyncIterable<Buffer>) => copyIn(tx, `copy "${schema}"."${table}" from stdin`, lines);
    const rows = await pipeline(file, createGunzip(), copied, { signal: stopping }).catch((error) => {
      if (error.syscall === "open" || error.syscall === "read") return unreadable(name)(error);
      // Of zlib, or of Postgres about a value, a key or a limit: of what is in the file, and not of the connection.
      throw /^(Z_|22|23|54)/.test(error.code) ? refused(`${name} has no rows of its table: ${error.message}`) : error;
    });
    const said = files[name]!;
    if (rows !== said.rows) throw refused(`${name} has ${rows} rows, and its manifest says ${said.rows}`);
    // Whoever can write it can have changed it since it was looked at.
    if (hash.digest("hex") !== said.sha256) throw otherFile(name);
    await analyze(tx, schema, table);
  }
}
