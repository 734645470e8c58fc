/** A PostgreSQL server of a run's own, beside which other things are started: all of it is gone at the end. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import type pg from "pg";
import { migrate } from "../db/schema/migrate.ts";
import { openPool } from "../db/sql/connect.ts";
import { type Postgres, removePostgres, startPostgres } from "../devnet/postgres.ts";
import { plantOnchain } from "./onchain.ts";
import { scratchDirectory } from "./scratch.ts";

export type ScratchPostgres = {
  postgres: Postgres;
  pool: pg.Pool;
  /** Where the run keeps its files; the cluster is in `pg`. */
  directory: string;
  /** Ends something at the end, before the server and before what was named earlier. */
  later(close: () => unknown): void;
};

export type ScratchPostgresOptions = {
  /** Connections of the pool; 4 unless given. */
  max?: number;
  /** No fsync. */
  fast?: boolean;
  /** Of postgresql.conf. */
  settings?: Record<string, string>;
  /** `offchain`: migrated; `both`: with the tables of the index as plain ones too. */
  schemas?: "offchain" | "both";
  /** A folder that is kept, in place of one that is removed. */
  kept?: string | undefined;
};

/** @param name of the directory */
export async function openPostgres(
  name: string,
  { max = 4, fast = false, settings = {}, schemas, kept }: ScratchPostgresOptions,
): Promise<ScratchPostgres & { close(): Promise<void> }> {
  const directory = kept ?? scratchDirectory(name, { onDisk: true });
  const dataDir = join(directory, "pg");
  const postgres = await startPostgres({ dataDir, fast, settings });
  const pool = openPool({ connectionString: postgres.url, max });
  const closers: (() => unknown)[] = [() => pool.end()];
  const close = async () => {
    for (const closer of closers.toReversed()) await closer();
    await postgres.stop();
    if (kept !== undefined) return;
    // The cluster may have been moved to where its own account can reach it.
    await removePostgres(dataDir);
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    if (schemas !== undefined) await migrate(postgres.url);
    if (schemas === "both") await plantOnchain(pool, { ddl: (await import("./onchain-tables.ts")).onchainTables() });
  } catch (error) {
    await close();
    throw error;
  }
  return { postgres, pool, directory, later: (closer) => void closers.push(closer), close };
}

/** The same for as long as some work takes. */
export async function withPostgres<T>(
  name: string,
  options: ScratchPostgresOptions,
  work: (at: ScratchPostgres) => Promise<T>,
): Promise<T> {
  const at = await openPostgres(name, options);
  try {
    return await work(at);
  } finally {
    await at.close();
  }
}
