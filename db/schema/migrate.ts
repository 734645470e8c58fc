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
 * lets one process through at a time. A database of a later version than this one is left as it is. The initial file replaces
 * files of an earlier version: a database that has all of them has the initial one; one that has a part of them is refused.
 * @param options.dimensions of the vectors of meanings; null where there is no provider of embeddings
 * @throws Error when the database was made by an earlier version, whose migrations are not kept
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

/** Keeps writers out until the end of the transaction; readers continue until a table is changed. */
async function holdWriters(client: pg.Client): Promise<void> {
  for (const table of WRITTEN_TOGETHER)
    if (await exists(client, `offchain.${table}`, "to_regclass"))
      await client.query(`lock table offchain.${table} in share row exclusive mode`);
}

/**
 * The first line of the initial file where it replaces those of earlier versions: the last of them, and the SHA-256 of
 * all that migration.applied has of them, a line `<name> <hash>` for each in the order of names.
 */
const STANDS_FOR = /^-- Stands for all migrations up to (\S+): ([0-9a-f]{64})$/m;
const numberOf = (name: string) => Number(/^migrations\/(\d+)_/.exec(name)?.[1]);

type Plan = {
  /** Those that the database does not have as they are now, in their order. */
  pending: SqlFile[];
  initial: SqlFile;
  /** Names of the files of an earlier version that it has and that the initial one replaces. */
  replaced: string[];
  /** Names of the files that it has of a later version. */
  later: string[];
  /** Why it cannot be brought up to date. */
  refusal?: string;
};

/** @param hashes name → hash of what the database has: rows of migration.applied */
function planOf(hashes: Map<string, string>): Plan {
  const [files, triggers] = [migrations(), read("triggers.sql")];
  const names = new Set([...files, triggers].map(({ name }) => name));
  const initial = files[0]!;
  const isReplaced = (name: string) => numberOf(name) <= numberOf(initial.name);
  const others = [...hashes.keys()].filter((name) => !names.has(name));
  const [replaced, later] = [others.filter(isReplaced).sort(), others.filter((name) => !isReplaced(name))];
  if (replaced.length > 0) {
    const [, last, digest] = STANDS_FOR.exec(initial.sql) ?? [];
    const found = createHash("sha256").update(replaced.map((name) => `${name} ${hashes.get(name)}\n`).join(""));
    if (found.digest("hex") !== digest) return { pending: [], initial, replaced, later, refusal: incomplete(last) };
    hashes = new Map(hashes).set(initial.name, initial.hash);
  }
  const changed = files.some(({ name, hash }) => hashes.has(name) && hashes.get(name) !== hash);
  const pending = [...files, triggers].filter(({ name, hash }) => hashes.get(name) !== hash);
  return { pending, initial, replaced, later, refusal: changed ? EARLIER_VERSION : undefined };
}

/** @returns false for a database of a later version */
async function applyFiles(client: pg.Client): Promise<boolean> {
  await client.query(`
    create schema if not exists migration;
    create table if not exists migration.applied
      (name text primary key, hash text not null, applied_at timestamptz not null default clock_timestamp())`);
  const hashes = await appliedHashes(client);
  if (hashes.size === 0 && (await exists(client, "offchain"))) throw new Error(EARLIER_VERSION);
  const { pending, initial, replaced, later, refusal } = planOf(hashes);
  if (refusal) throw new Error(refusal);
  if (later.length > 0) return false;
  await requireTrigrams(client);

  if (pending.length > 0) await holdWriters(client);
  for (const file of pending) {
    await client.query(file.sql);
    await note(client, file);
  }
  if (replaced.length > 0) {
    await client.query("delete from migration.applied where name = any($1)", [replaced]);
    await note(client, initial);
  }
  return true;
}

/** @throws Error, one sentence, where the server does not have the extension that searches need */
async function requireTrigrams(client: pg.Client): Promise<void> {
  const { rowCount } = await client.query("select from pg_available_extensions where name = 'pg_trgm'");
  if (rowCount === 0)
    throw new Error(
      "this Postgres has no extension pg_trgm, which searches need: install its contrib package, or allow the extension at the provider",
    );
}

const note = (client: pg.Client, { name, hash }: SqlFile) =>
  client.query(
    `insert into migration.applied (name, hash) values ($1, $2)
     on conflict (name) do update set hash = excluded.hash, applied_at = excluded.applied_at`,
    [name, hash],
  );

async function appliedHashes(db: Queryable): Promise<Map<string, string>> {
  const { rows } = await db.query<{ name: string; hash: string }>("select name, hash from migration.applied");
  return new Map(rows.map(({ name, hash }) => [name, hash]));
}

/**
 * The names of the files that `migrate` would apply, of those of a later version that the database already has, and why
 * `migrate` would refuse it. Writes nothing.
 * @param db a connection that may read schema `migration`
 */
export async function pendingMigrations(
  db: Queryable,
): Promise<{ pending: string[]; later: string[]; refusal?: string }> {
  const result = await db.query<{ found: boolean }>("select to_regclass('migration.applied') is not null as found");
  const { pending, later, refusal } = planOf(result.rows[0]!.found ? await appliedHashes(db) : new Map());
  return { pending: pending.map(({ name }) => name), later, refusal };
}

const incomplete = (last: string | undefined) =>
  `the database does not have all migrations up to ${last}, which this version has as one; run npm run migrate of the ` +
  "last version that has that file, then of this one (docs/operate/operations.md)";

const EARLIER_VERSION =
  "the database was made by an earlier development version, which cannot be upgraded; use an empty database " +
  "(for the local stack: npm run reset)";

async function exists(client: pg.Client, name: string, kind = "to_regnamespace"): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>(`select ${kind}($1) is not null as found`, [name]);
  return rows[0]!.found;
}

/**
 * `app` is the role of the API and the workers. Grants repeat harmlessly; default privileges cover later tables. The log of
 * probes is appended to only, and goes by whole partitions (`drop_partitions`), then its subjects (`forget_probe_subjects`).
 */
const GRANTS = `
  do $$ declare part regclass; begin
    if exists (select from pg_roles where rolname = 'app') then
      grant usage on schema offchain to app;
      grant select, insert, update, delete on all tables in schema offchain to app;
      grant usage, select on all sequences in schema offchain to app;
      alter default privileges in schema offchain grant select, insert, update, delete on tables to app;
      alter default privileges in schema offchain grant usage, select on sequences to app;
      for part in select inhrelid from pg_inherits where inhparent = 'offchain.probe'::regclass loop
        execute format('revoke all on %s from app', part);
      end loop;
      revoke update, delete on offchain.probe from app;
      revoke update, delete on offchain.probe_subject from app;
    end if;
  end $$`;
