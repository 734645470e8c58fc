/** Brings the off-chain schema of a database up to date: `npm run migrate`, and every start of the local stack. */

import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type pg from "pg";
import { PROJECT_ROOT } from "../../runtime/project-root.ts";
import { openClient, type Queryable } from "../sql/connect.ts";
import { ADVISORY_LOCKS } from "../sql/locks.ts";
import { indexMeanings } from "./meaning-index.ts";

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
 * @param options.dimensions of the vectors of meanings; null where there is no provider of embeddings
 * @throws Error when the database was made by an earlier development version, whose migrations are not kept
 * @throws the database's error when it cannot be reached or a migration fails; nothing is left half-applied
 */
export async function migrate(url: string, { dimensions = null as number | null } = {}): Promise<void> {
  const client = openClient({ connectionString: url, application_name: "migrate" });
  await client.connect();
  try {
    await client.query("select pg_advisory_lock($1)", [ADVISORY_LOCKS.migrations]);
    // "create … if not exists" sends a notice for each skipped object; an operator does not need them.
    await client.query("set client_min_messages = warning");
    await patiently(client, async () => {
      if (await applyFiles(client))
        await indexMeanings(client, dimensions, () => client.query(read("triggers.sql").sql));
      await client.query(GRANTS);
    });
  } finally {
    // Ends an open transaction as well.
    await client.end();
  }
}

/** Max milliseconds for a lock: what a migration waits for, all readers and writers behind it wait for too. */
const LOCK_MS = 2_000;
const MAX_ATTEMPTS = 30;
const PAUSE_MS = 500;
/** lock_not_available, deadlock_detected. */
const IN_USE = new Set(["55P03", "40P01"]);

/** Runs `work` in one transaction, and again where it did not get a lock because the tables are in use. */
async function patiently(client: pg.Client, work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++)
    try {
      await client.query(`begin; set local lock_timeout = ${LOCK_MS}`);
      await work();
      await client.query("commit");
      return;
    } catch (error) {
      if (!IN_USE.has((error as { code?: string }).code ?? "") || attempt === MAX_ATTEMPTS) throw error;
      await client.query("rollback");
      await new Promise((done) => setTimeout(done, PAUSE_MS));
    }
}

/** The tables that one write locks, in its order. In another order a migration and a write could wait for each other. */
const WRITTEN_TOGETHER = ["cred", "cred_history", "directory", "directory_score"];

/** Keeps writers out until the end of the transaction; readers go on until a table is changed. */
async function holdWriters(client: pg.Client): Promise<void> {
  for (const table of WRITTEN_TOGETHER)
    if (await exists(client, `offchain.${table}`, "to_regclass"))
      await client.query(`lock table offchain.${table} in share row exclusive mode`);
}

/** @returns false for a database of a later version */
async function applyFiles(client: pg.Client): Promise<boolean> {
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
  if ([...hashes.keys()].some((name) => !known.has(name))) return false;

  const pending = [...files, triggers].filter(({ name, hash }) => hashes.get(name) !== hash);
  if (pending.length > 0) await holdWriters(client);
  for (const { name, sql, hash } of pending) {
    await client.query(sql);
    await client.query(
      `insert into migration.applied (name, hash) values ($1, $2)
       on conflict (name) do update set hash = excluded.hash, applied_at = excluded.applied_at`,
      [name, hash],
    );
  }
  return true;
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

async function exists(client: pg.Client, name: string, kind = "to_regnamespace"): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>(`select ${kind}($1) is not null as found`, [name]);
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
