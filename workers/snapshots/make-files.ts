/** Writes the files of a snapshot: each table as lines of JSON from the database, and as Parquet from those lines. */
import { createHash } from "node:crypto";
import { closeSync, createReadStream, fsyncSync, openSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { gzipSync } from "node:zlib";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import type { SnapshotFile } from "../../core/snapshots/manifest.ts";
import type { SnapshotReader } from "../../db/snapshots/read-tables.ts";
import { SNAPSHOT_TABLES, type SnapshotTable } from "../../db/snapshots/tables.ts";

/** Bytes of lines that are compressed together: a member of the file's own (RFC 1952), so that no state is kept between. */
const MEMBER_BYTES = 1 << 20;
/** Memory of DuckDB; what needs more is sorted and joined in files of the folder. */
const DUCKDB_MEMORY = "128MB";
/** Rows of a row group of Parquet: a multiple of 2048, which DuckDB writes at once. */
const ROW_GROUP = 20_480;

export type Files = Record<string, SnapshotFile>;

/** @param temporary folder for what does not fit in memory; removed by DuckDB */
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
  const duck = await openDuckDb(join(folder, "spill"));
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
      const written = await duck.run(
        deltaSql(table, { old: join(previous, parquet), now: join(folder, parquet), to: join(folder, delta) }),
      );
      const changes = Number((await written.getRows())[0]![0]);
      files[delta] = { table: name, rows: changes, ...(await sealed(join(folder, delta))) };
    }
  } finally {
    duck.closeSync();
  }
  return files;
}

/** Writes the rows of a table as they come: nothing is read before the bytes are in the file. */
async function writeLines(reader: SnapshotReader, table: string, path: string): Promise<SnapshotFile> {
  const file = openSync(path, "wx");
  const hash = createHash("sha256");
  const member = Buffer.allocUnsafe(MEMBER_BYTES);
  let [rows, bytes, used] = [0, 0, 0];
  const write = (raw: Uint8Array) => {
    const packed = gzipSync(raw, { level: 1 });
    hash.update(packed);
    for (let at = 0; at < packed.length; ) at += writeSync(file, packed, at);
    bytes += packed.length;
  };
  const flush = () => {
    if (used > 0 || bytes === 0) write(member.subarray(0, used));
    used = 0;
  };
  try {
    await reader.lines(table, (json) => {
      if (used + json.length >= MEMBER_BYTES) flush();
      if (json.length >= MEMBER_BYTES) write(Buffer.concat([json, Buffer.from("\n")]));
      else {
        member.set(json, used);
        member[used + json.length] = 10;
        used += json.length + 1;
      }
      rows++;
    });
    flush();
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  return { table, rows, bytes, sha256: hash.digest("hex") };
}

const typesOf = ({ columns }: SnapshotTable) =>
  `{${Object.entries(columns).map(([name, type]) => `${quoted(name)}: ${quoted(type)}`)}}`;

const parquetSql = (table: SnapshotTable, lines: string, to: string) => `
  copy (select * from read_json(${quoted(lines)}, format = 'newline_delimited', columns = ${typesOf(table)}))
  to ${quoted(to)} (format parquet, compression zstd, row_group_size ${ROW_GROUP})`;

/**
 * What leads from one state of a table to the next: a row that is new or has changed, as `put`; of one that is gone its key, as
 * `delete`. Rows are compared by a digest, so that a join keeps keys and digests alone.
 */
function deltaSql({ key, columns }: SnapshotTable, { old, now, to }: { old: string; now: string; to: string }): string {
  const names = Object.keys(columns).map((name) => `"${name}"`);
  const keys = key.map((name) => `"${name}"`).join(", ");
  const read = (path: string) =>
    `(select *, sha256(to_json(struct_pack(${names.map((name) => `${name} := ${name}`)}))::varchar) as digest from read_parquet(${quoted(path)}))`;
  return `
  copy (
    select 'put' as op, ${names} from ${read(now)} n where not exists (
      select 1 from (select ${keys}, digest from ${read(old)}) o
      where ${[...key, "digest"].map((name) => `o."${name}" = n."${name}"`).join(" and ")})
    union all by name
    select 'delete' as op, ${keys} from read_parquet(${quoted(old)}) o where not exists (
      select 1 from read_parquet(${quoted(now)}) n where ${key.map((name) => `o."${name}" = n."${name}"`).join(" and ")}))
  to ${quoted(to)} (format json, compression gzip)`;
}

/** Brings a file to the disk. @returns its size and digest */
async function sealed(path: string): Promise<Pick<SnapshotFile, "bytes" | "sha256">> {
  const file = openSync(path, "r");
  fsyncSync(file);
  closeSync(file);
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return { bytes: statSync(path).size, sha256: hash.digest("hex") };
}
