/** A PostgreSQL server of a run's own, and what the run starts in addition: all of it is removed at the end. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import type pg from "pg";
import { migrate } from "../db/schema/migrate.ts";
import { openPool } from "../db/sql/connect.ts";
import { type Postgres, removePostgres, startPostgres } from "../devnet/postgres.ts";
import { type Later, withClosers } from "./closers.ts";
import { plantOnchain } from "./onchain.ts";
import { scratchDirectory } from "./scratch.ts";

export type ScratchPostgres = {
  postgres: Postgres;
  pool: pg.Pool;
  /** Where the run keeps its files; the cluster is in `pg`. */
  directory: string;
  /** The server ends after all of it. */
  later: Later;
};

export type ScratchPostgresOptions = {
  /** Connections of the pool; 4 unless given. */
  max?: number;
  /** No fsync. */
  fast?: boolean;
  /** Where the binaries of another version are, in `bin`. */
  native?: string;
  /** Of postgresql.conf. */
  settings?: Record<string, string>;
  /** `offchain`: migrated; `both`: with the tables of the index as plain ones too. */
  schemas?: "offchain" | "both";
  /** A folder that is kept, in place of one that is removed. */
  kept?: string | undefined;
};

/** @param name of the directory */
export const openPostgres = (
  name: string,
  { max = 4, fast = false, native, settings = {}, schemas, kept }: ScratchPostgresOptions,
): Promise<ScratchPostgres & { close(): Promise<void> }> =>
  withClosers(async (later, close) => {
    const directory = kept ?? scratchDirectory(name, { onDisk: true });
    const dataDir = join(directory, "pg");
    if (kept === undefined)
      later(async () => {
        // The cluster may have been moved to where its own account can reach it.
        await removePostgres(dataDir);
        rmSync(directory, { recursive: true, force: true });
      });
    const postgres = await startPostgres({ dataDir, fast, settings, ...(native && { native }) });
    later(() => postgres.stop());
    const pool = openPool({ connectionString: postgres.url, max });
    later(() => pool.end());
    if (schemas !== undefined) await migrate(postgres.url);
    if (schemas === "both") await plantOnchain(pool, { ddl: (await import("./onchain-tables.ts")).onchainTables() });
    return { postgres, pool, directory, later, close };
  });

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
