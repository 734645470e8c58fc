/** A simulated year of a table that grows: its database, its days, and whether its figures stay flat. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import type pg from "pg";
import { migrate } from "../../db/schema/migrate.ts";
import { openPool } from "../../db/sql/connect.ts";
import { removePostgres, startPostgres } from "../../devnet/postgres.ts";
import { scratchDirectory } from "../../harness/scratch.ts";
import { median } from "../load/check.ts";

/** A figure of the last months is flat when it is at most this many times that of the second quarter. */
export const FLAT = 1.5;

/** The median of the last quarter by that of the second; the first one fills what is kept. */
export function lastToSecond(values: readonly number[]): number {
  const quarter = Math.max(1, Math.floor(values.length / 4));
  return median(values.slice(-quarter)) / median(values.slice(quarter, 2 * quarter));
}

/** Both numbers from 0, of a year from January 2026 on. */
export const dayOf = (month: number, day: number): Date => new Date(Date.UTC(2026, month, 1 + day));
export const daysOf = (month: number): number => new Date(Date.UTC(2026, month + 1, 0)).getUTCDate();
/** Such as 2026-01. */
export const nameOf = (month: number): string => dayOf(month, 0).toISOString().slice(0, 7);

/** A migrated database with fsync on; `end` removes it. @param max connections of the pool */
export async function yearDatabase(name: string, max: number): Promise<{ pool: pg.Pool; end(): Promise<void> }> {
  const directory = scratchDirectory(`bench-${name}`, { onDisk: true });
  const dataDir = join(directory, "pg");
  const server = await startPostgres({ dataDir });
  const pool = openPool({ connectionString: server.url, max });
  const end = async () => {
    await pool.end();
    await server.stop();
    await removePostgres(dataDir);
    rmSync(directory, { recursive: true, force: true });
  };
  await migrate(server.url).catch(async (error) => {
    await end();
    throw error;
  });
  return { pool, end };
}

/** Megabytes of a table of `offchain` with its partitions and all indexes. */
export async function sizeMb(pool: pg.Pool, table: string): Promise<number> {
  const { rows } = await pool.query(
    `select sum(pg_total_relation_size(oid))::float8 / 1e6 as mb from (
       select $1::regclass::oid as oid
       union all select inhrelid from pg_inherits where inhparent = $1::regclass) parts`,
    [`offchain.${table}`],
  );
  return rows[0].mb;
}
