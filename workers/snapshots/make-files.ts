/** Writes the files of a snapshot: each table as lines of JSON from the database, and as Parquet from those lines. */
import { closeSync, fsyncSync, openSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import type { SnapshotFile } from "../../core/snapshots/manifest.ts";
import type { SnapshotReader } from "../../db/snapshots/read-tables.ts";
import { SNAPSHOT_TABLES, type SnapshotTable } from "../../db/snapshots/tables.ts";
import { fileDigest } from "../../runtime/file-digest.ts";
import { LinesFile } from "../../runtime/lines-file.ts";
import { writeDelta } from "./delta.ts";

/** Megabytes of DuckDB while it writes Parquet, and of those for each megabyte of a line beyond the first 8. */
const WRITING_MB = 192;
const LONG_LINE_MB = 12;
/** Bytes of the longest line that DuckDB has room for, where no line is longer. */
const LINE_BYTES = 1 << 20;
/** Of a row group of Parquet, which DuckDB keeps in memory: most rows, and bytes after which it ends. */
const ROW_GROUP = "row_group_size 20480, row_group_size_bytes 8000000";

export type Files = Record<string, SnapshotFile>;

/**
 * @param temporary folder for what does not fit in memory
 * @param megabytes of memory
 */
export async function openDuckDb(temporary: string, megabytes: number): Promise<DuckDBConnection> {
  const instance = await DuckDBInstance.create(":memory:", {
    threads: "1",
    memory_limit: `${megabytes}MB`,
    // Row groups are not bounded by bytes otherwise. One thread keeps the order all the same.
    preserve_insertion_order: "false",
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
  const duck = await openDuckDb(spill, WRITING_MB);
  const files: Files = {};
  try {
    for (const [name, table] of Object.entries(SNAPSHOT_TABLES)) {
      const lines = `${name}.ndjson.gz`;
      const { longest, ...written } = await writeLines(reader, name, join(folder, lines));
      files[lines] = { table: name, ...written };
      const parquet = `${name}.parquet`;
      await duck.run(`set memory_limit = '${memoryFor(longest)}MB'`);
      await duck.run(parquetSql(table, longest, join(folder, lines), join(folder, parquet)));
      files[parquet] = { table: name, rows: written.rows, ...(await sealed(join(folder, parquet))) };
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
async function writeLines(reader: SnapshotReader, table: string, path: string) {
  const lines = new LinesFile(path);
  try {
    await reader.lines(table, (json) => lines.write(json));
    return { ...lines.finish(), longest: lines.longest };
  } finally {
    lines.close();
  }
}

const typesOf = ({ columns }: SnapshotTable) =>
  `{${Object.entries(columns).map(([name, type]) => `${quoted(name)}: ${quoted(type)}`)}}`;

/** @param longest bytes of a line */
const memoryFor = (longest: number) => WRITING_MB + LONG_LINE_MB * Math.max(0, Math.ceil(longest / 2 ** 20) - 8);

const parquetSql = (table: SnapshotTable, longest: number, lines: string, to: string) => `
  copy (select * from read_json(${quoted(lines)}, format = 'newline_delimited', columns = ${typesOf(table)},
    maximum_object_size = ${Math.max(LINE_BYTES, longest + 1)}))
  to ${quoted(to)} (format parquet, compression zstd, ${ROW_GROUP})`;

/** Brings a file to the disk. @returns its size and digest */
async function sealed(path: string): Promise<Pick<SnapshotFile, "bytes" | "sha256">> {
  const file = openSync(path, "r");
  fsyncSync(file);
  closeSync(file);
  return { bytes: statSync(path).size, sha256: await fileDigest(path) };
}
