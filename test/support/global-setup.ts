/** One embedded PostgreSQL for the whole test run, with the templates of its databases. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { migrate } from "../../db/schema/migrate.ts";
import { openPool } from "../../db/sql/connect.ts";
import { ensureDatabase, startPostgres } from "../../devnet/postgres.ts";
import { plantOnchain } from "../../harness/onchain.ts";
import { onchainTables } from "../../harness/onchain-tables.ts";
import { missingInWords } from "../../harness/programs.ts";
import { startReplica } from "../../harness/replica.ts";
import { scratchDirectory } from "../../harness/scratch.ts";
import { buildWhenStale } from "../../scripts/build.ts";
import { INDEXED, MIGRATED } from "./database.ts";

// Tests start hundreds of processes of the same code: compiled once, they start in half the time.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, "../../node_modules/.cache/node");

export default async function setup(project: TestProject) {
  for (const line of missingInWords()) console.warn(line);
  // Processes of tests run from the build, as the image and `npm start` do: each starts in a quarter of the CPU.
  await buildWhenStale();
  const directory = scratchDirectory("test");
  const server = await startPostgres({
    dataDir: join(directory, "pg"),
    fast: true,
    // It would look into a template while that is copied, and at statistics of its own time.
    settings: { max_wal_size: "256MB", autovacuum: "off" },
  });
  const ddl = onchainTables();
  const admin = openPool({ connectionString: server.url, max: 1 });
  // Roles are of the whole server: files that make one beside each other would meet.
  await admin.query("create role app");
  await migrate(await ensureDatabase(server.url, MIGRATED));
  const pool = openPool({ connectionString: await ensureDatabase(server.url, INDEXED, MIGRATED) });
  await plantOnchain(pool, { ddl });
  await pool.end();
  // A template that somebody is connected to cannot be copied.
  for (const template of [MIGRATED, INDEXED]) await admin.query(`alter database ${template} allow_connections false`);
  await admin.end();
  project.provide("postgresUrl", server.url);
  const { topology } = project.getProvidedContext();
  const replica = topology?.replica && (await startReplica(server.url, join(directory, "replica")));
  project.provide("replicaUrl", replica?.url);
  project.provide("onchainTables", ddl);
  return async () => {
    await replica?.stop();
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  };
}

declare module "vitest" {
  interface ProvidedContext {
    /** Superuser URL of the run's embedded PostgreSQL. */
    postgresUrl: string;
    /** DDL of the tables of ponder.schema.ts. */
    onchainTables: string;
  }
}
