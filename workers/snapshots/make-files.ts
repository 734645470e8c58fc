/** Writes the files of a snapshot: each table as lines of JSON from the database, and as Parquet from those lines. */
import { createHash } from "node:crypto";
import { closeSync, createReadStream, fsyncSync, openSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import type { SnapshotFile } from "../../core/snapshots/manifest.ts";
import type { SnapshotReader } from "../../db/snapshots/read-tables.ts";
import { SNAPSHOT_TABLES, type SnapshotTable } from "../../db/snapshots/tables.ts";
import { LinesFile, writeDelta } from "./lines-file.ts";

/** Memory of DuckDB; what needs more is sorted and joined in files of the folder. */
const DUCKDB_MEMORY = "128MB";
/** Rows of a row group of Parquet: a multiple of 2048, which DuckDB writes at once. */
const ROW_GROUP = 20_480;

export type Files = Record<string, SnapshotFile>;

/** @param temporary folder for what does not fit in memory */
export async function openDuckDb(temporary: string): Promise<DuckDBConnection> {
  const instance = await DuckDBInstance.create(":memory:", {
    threads: "1",
    memory_limit: DUCKDB_MEMORY,
    temp_directory: temporary,
    // It reads and writes local files alone.
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
  });
  const connection = await instance.connect();
  await connection.run("set timezone = 'UTC'");
  return connection;
}

/** A text as a literal of SQL. */
const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;

/**
 * Writes all tables into a folder, and how they differ from an earlier snapshot.
 * @param previous folder of that one; null: nothing to compare with
 * @returns the files by name; all of them are on the disk
 */
export async function makeFiles(reader: SnapshotReader, folder: string, previous: string | null): Promise<Files> {
  const spill = join(folder, "spill");
  const duck = await openDuckDb(spill);
  const files: Files = {};
  try {
    for (const [name, table] of Object.entries(SNAPSHOT_TABLES)) {
      const lines = `${name}.ndjson.gz`;
      files[lines] = await writeLines(reader, name, join(folder, lines));
      const { rows } = files[lines];
      const parquet = `${name}.parquet`;
      await duck.run(parquetSql(table, join(folder, lines), join(folder, parquet)));
      files[parquet] = { table: name, rows, ...(await sealed(join(folder, parquet))) };
      if (previous === null) continue;
      const delta = `${name}.delta.ndjson.gz`;
      const of = { old: join(previous, lines), now: join(folder, lines) };
      files[delta] = { table: name, ...(await writeDelta(table, of, join(folder, delta))) };
    }
  } finally {
    duck.closeSync();
    rmSync(spill, { recursive: true, force: true });
  }
  return files;
}

/** Writes the rows of a table as they come: nothing is read before the bytes are in the file. */
async function writeLines(reader: SnapshotReader, table: string, path: string): Promise<SnapshotFile> {
  const lines = new LinesFile(path);
  try {
    await reader.lines(table, (json) => lines.write(json));
    return { table, ...lines.finish() };
  } finally {
    lines.close();
  }
}

const typesOf = ({ columns }: SnapshotTable) =>
  `{${Object.entries(columns).map(([name, type]) => `${quoted(name)}: ${quoted(type)}`)}}`;

const parquetSql = (table: SnapshotTable, lines: string, to: string) => `
  copy (select * from read_json(${quoted(lines)}, format = 'newline_delimited', columns = ${typesOf(table)}))
  to ${quoted(to)} (format parquet, compression zstd, row_group_size ${ROW_GROUP})`;

/** Brings a file to the disk. @returns its size and digest */
async function sealed(path: string): Promise<Pick<SnapshotFile, "bytes" | "sha256">> {
  const file = openSync(path, "r");
  fsyncSync(file);
  closeSync(file);
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return { bytes: statSync(path).size, sha256: hash.digest("hex") };
}
