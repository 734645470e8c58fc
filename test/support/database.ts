/** Databases of their own for tests: copies of a template, made in milliseconds. */
import { randomBytes } from "node:crypto";
import type pg from "pg";
import { inject } from "vitest";
import { openPool } from "../../db/sql/connect.ts";
import { plantCheckpoint } from "../../harness/onchain.ts";
import { plant } from "./plant.ts";

export type TestDatabase = {
  url: string;
  pool: pg.Pool;
  /** The rows that a statement gives. */
  // biome-ignore lint/suspicious/noExplicitAny: as of the driver itself, a test says what it expects
  rows<Row = any>(statement: string | pg.QueryConfig, values?: unknown[]): Promise<Row[]>;
  /** Inserts rows of one of the service's tables: what a test does not name is as plant.ts has it. */
  plant(table: Parameters<typeof plant>[1], ...rows: Record<string, unknown>[]): Promise<void>;
  /** Closes the pool and removes the database, ending other sessions. */
  drop(): Promise<void>;
};

/** Templates that the run has made before its tests. */
export const MIGRATED = "template_migrated";
/** With the planted index of onchain.ts beside it. */
export const INDEXED = "template_indexed";

/** One connection for all that this process asks of the server itself; it goes when nothing else keeps the process. */
let admin: pg.Pool | undefined;

/**
 * A fresh database with the offchain schema.
 * @param options.migrated false gives an empty one
 * @param options.indexed with the index that `plantOnchain` plants, which takes ten times as long by itself
 */
export async function testDatabase({ migrated = true, indexed = false } = {}): Promise<TestDatabase> {
  const url = new URL(inject("postgresUrl"));
  admin ??= openPool({ connectionString: url.href, max: 1, allowExitOnIdle: true });
  const name = `test_${process.pid}_${randomBytes(6).toString("hex")}`;
  const template = indexed ? INDEXED : migrated ? MIGRATED : "template1";
  await admin.query(`create database "${name}" template "${template}" strategy file_copy`);
  url.pathname = name;
  const pool = openPool({ connectionString: url.href, max: 10 });
  if (indexed) await plantCheckpoint(pool);
  return {
    url: url.href,
    pool,
    rows: async (statement, values) => (await pool.query(statement, values)).rows,
    plant: (table, ...rows) => plant(pool, table, ...rows),
    async drop() {
      await pool.end();
      await admin!.query(`drop database if exists "${name}" with (force)`);
    },
  };
}
