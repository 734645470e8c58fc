/** Brings the off-chain schema of a database up to date: `npm run migrate`, and every start of the local stack. */

import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type pg from "pg";
import { PROJECT_ROOT } from "../runtime/project-root.ts";
import { openClient, type Queryable } from "./connect.ts";
import { ADVISORY_LOCKS } from "./locks.ts";

type SqlFile = { name: string; sql: string; hash: string };

const read = (path: string): SqlFile => {
  const sql = readFileSync(join(PROJECT_ROOT, "db", path), "utf8").replaceAll("\r\n", "\n");
  return { name: path, sql, hash: createHash("sha256").update(sql).digest("hex") };
};

/** The files that drizzle-kit generated, in order: each runs once. */
const migrations = (): SqlFile[] =>
  readdirSync(join(PROJECT_ROOT, "db/migrations"))
    .filter((file) => file.endsWith(".sql"))
    .sort()
    .map((file) => read(`migrations/${file}`));

/**
 * Applies the files of db/migrations that the database does not have yet, then db/triggers.sql where it has changed, and
 * lets the role `app`, if it exists, read and write the schema `offchain`. Safe to run twice, by two processes at
 * once, or after being killed half-way: everything is one transaction, and a session lock (which dies with its process)
 * lets one process through at a time. A database of a later version than this one is left as it is.
 * @throws Error when the database was made by an earlier development version, whose migrations are not kept
 * @throws the database's error when it cannot be reached or a migration fails; nothing is left half-applied
 */
export async function migrate(url: string): Promise<void> {
  const client = openClient({ connectionString: url, application_name: "migrate" });
  await client.connect();
  try {
    await client.query("select pg_advisory_lock($1)", [ADVISORY_LOCKS.migrations]);
    // "create … if not exists" sends a notice for each skipped object; an operator does not need them.
    await client.query("set client_min_messages = warning");
    await client.query("begin");
    await applyFiles(client);
    await client.query(GRANTS);
    await client.query("commit");
  } finally {
    // Ends an open transaction as well.
    await client.end();
  }
}

async function applyFiles(client: pg.Client): Promise<void> {
  await client.query(`
    create schema if not exists migration;
    create table if not exists migration.applied
      (name text primary key, hash text not null, applied_at timestamptz not null default clock_timestamp())`);
  const { rows } = await client.query<{ name: string; hash: string }>("select name, hash from migration.applied");
  const hashes = new Map(rows.map((row) => [row.name, row.hash]));

  const [files, triggers] = [migrations(), read("triggers.sql")];
  const changed = files.some(({ name, hash }) => hashes.has(name) && hashes.get(name) !== hash);
  if (changed || (hashes.size === 0 && (await exists(client, "offchain")))) throw new Error(EARLIER_VERSION);
  const known = new Set([...files, triggers].map(({ name }) => name));
  if ([...hashes.keys()].some((name) => !known.has(name))) return;

  for (const { name, sql, hash } of [...files, triggers]) {
    if (hashes.get(name) === hash) continue;
    await client.query(sql);
    await client.query(
      `insert into migration.applied (name, hash) values ($1, $2)
       on conflict (name) do update set hash = excluded.hash, applied_at = excluded.applied_at`,
      [name, hash],
    );
  }
}

/**
 * The files that `migrate` would apply, and those of a later version that the database already has. Writes nothing.
 * @param db a connection that may read schema `migration`
 */
export async function pendingMigrations(db: Queryable): Promise<{ pending: string[]; later: string[] }> {
  const files = [...migrations(), read("triggers.sql")];
  const known = new Set(files.map(({ name }) => name));
  const found = await db.query<{ found: boolean }>("select to_regclass('migration.applied') is not null as found");
  if (!found.rows[0]!.found) return { pending: files.map(({ name }) => name), later: [] };
  const { rows } = await db.query<{ name: string; hash: string }>("select name, hash from migration.applied");
  const hashes = new Map(rows.map((row) => [row.name, row.hash]));
  return {
    pending: files.filter(({ name, hash }) => hashes.get(name) !== hash).map(({ name }) => name),
    later: [...hashes.keys()].filter((name) => !known.has(name)),
  };
}

const EARLIER_VERSION =
  "the database was made by an earlier development version, which cannot be upgraded; use an empty database " +
  "(for the local stack: npm run reset)";

async function exists(client: pg.Client, schema: string): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>("select to_regnamespace($1) is not null as found", [schema]);
  return rows[0]!.found;
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
