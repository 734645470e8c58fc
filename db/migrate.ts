/** Brings the off-chain schema of a database up to date: `npm run migrate`, and every start of the local stack. */

import { join } from "node:path";
import { drizzle } from "drizzle-orm/node-postgres";
import { migrate as applyMigrations } from "drizzle-orm/node-postgres/migrator";
import pg from "pg";
import { ADVISORY_LOCKS } from "./locks.ts";

/**
 * Applies db/migrations to the database at `url`, then lets the role `app`, where there is one, read and write the
 * schema `offchain`. Safe to run twice, by two processes at once, or after being killed half-way: all migrations are
 * one transaction, and a session lock (which dies with its process) lets one process through at a time.
 * @throws the database's error when it cannot be reached or a migration fails; nothing is left half-applied.
 */
export async function migrate(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, application_name: "migrate" });
  await client.connect();
  try {
    await client.query("select pg_advisory_lock($1)", [ADVISORY_LOCKS.migrations]);
    // "create … if not exists" of the migrator announces what it skips; that is nothing to tell an operator.
    await client.query("set client_min_messages = warning");
    await applyMigrations(drizzle(client), { migrationsFolder: join(import.meta.dirname, "migrations") });
    await client.query(GRANTS);
  } finally {
    await client.end();
  }
}

/** `app` is the role of the API and the workers. Grants repeat harmlessly; default privileges cover later tables. */
const GRANTS = `
  do $$ begin
    if exists (select from pg_roles where rolname = 'app') then
      grant usage on schema offchain to app;
      grant select, insert, update, delete on all tables in schema offchain to app;
      grant usage, select on all sequences in schema offchain to app;
      alter default privileges in schema offchain grant select, insert, update, delete on tables to app;
      alter default privileges in schema offchain grant usage, select on sequences to app;
    end if;
  end $$`;

if (import.meta.main) {
  const { loadConfig } = await import("../config/config.ts");
  try {
    const url = loadConfig(undefined, { of: "migration" }).database.migrationUrl;
    if (!url) throw new Error("DATABASE_URL is not set and no local stack is running");
    await migrate(url);
    console.log("The schema offchain is up to date.");
  } catch (error) {
    console.error(`Cannot migrate: ${error instanceof Error ? error.message : String(error)}`);
    process.exit(1);
  }
}
