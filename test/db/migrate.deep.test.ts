/** Migrations end in one and the same schema, however often, by however many processes, and however abruptly. */
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generateDrizzleJson, generateMigration } from "drizzle-kit/api";
import { expect, it } from "vitest";
import { migrate } from "../../db/schema/migrate.ts";
import * as schema from "../../db/schema/tables.ts";
import { openClient } from "../../db/sql/connect.ts";
import { until } from "../../harness/until.ts";
import { entryOf } from "../../runtime/processes.ts";
import { type TestDatabase, testDatabase } from "../support/database.ts";
import { folderOfTest } from "../support/folders.ts";
import { schemaDump } from "../support/schema-dump.ts";

const root = join(import.meta.dirname, "../..");

const applied = async (db: TestDatabase) =>
  (await db.rows('select name from migration.applied order by name collate "C"')).map(({ name }) => name);

const dumpOf = ({ pool }: TestDatabase) => schemaDump(pool, { grants: false });

const migrations = readdirSync(join(root, "db/migrations")).filter((file) => file.endsWith(".sql"));
const files = [...migrations.map((file) => `migrations/${file}`), "triggers.sql"];

/** What `npm run migrate` prints about the database, and its exit code. @param entry of another version */
async function migrateCommand(
  databaseUrl: string,
  entry = entryOf("migrate"),
): Promise<{ code: number; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [entry], {
    env: { MIGRATION_DATABASE_URL: databaseUrl, DATABASE_URL: databaseUrl },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"] as const) child[stream].on("data", (chunk) => (said[stream] += chunk));
  const [code] = await once(child, "close");
  return { code, ...said };
}

it("describe db/schema/tables.ts: nothing is left to generate", async () => {
  const journal = JSON.parse(readFileSync(join(root, "db/migrations/meta/_journal.json"), "utf8"));
  const last = String(journal.entries.at(-1).idx).padStart(4, "0");
  const snapshot = JSON.parse(readFileSync(join(root, `db/migrations/meta/${last}_snapshot.json`), "utf8"));
  const current = generateDrizzleJson(schema, snapshot.id, ["offchain"], "snake_case");
  expect(await generateMigration(snapshot, current)).toEqual([]);
});

it("end in what db/schema/tables.ts and db/triggers.sql say at once", async () => {
  const [migrated, atOnce] = [await testDatabase(), await testDatabase({ migrated: false })];
  const whole = generateDrizzleJson(schema, undefined, ["offchain"], "snake_case");
  const statements = await generateMigration(generateDrizzleJson({}), whole);
  for (const statement of statements) await atOnce.pool.query(statement);
  await atOnce.pool.query(readFileSync(join(root, "db/triggers.sql"), "utf8"));
  expect(await dumpOf(atOnce)).toBe(await dumpOf(migrated));
  await Promise.all([migrated.drop(), atOnce.drop()]);
});

it("drop an index after all that they build: until the end of the upgrade nobody reads its table", () => {
  const later = migrations
    .filter((file) => file > "0060")
    .map((file) => readFileSync(join(root, "db/migrations", file), "utf8"));
  expect(later.join(";\n")).not.toMatch(/DROP INDEX[\s\S]*CREATE (UNIQUE )?INDEX/);
});

it("run twice and by three at once, to the same schema", async () => {
  const [once, often] = [await testDatabase({ migrated: false }), await testDatabase({ migrated: false })];
  await migrate(once.url);
  await Promise.all([migrate(often.url), migrate(often.url), migrate(often.url)]);
  await migrate(often.url);
  const dump = await dumpOf(once);
  expect(dump.split("\n").length).toBeGreaterThan(1000);
  expect(await dumpOf(often)).toBe(dump);
  expect(await applied(often)).toEqual(files);
  await Promise.all([once.drop(), often.drop()]);
});

it("killed half-way leave nothing, and are done by the next run", async () => {
  const db = await testDatabase({ migrated: false });
  const reference = await testDatabase();
  // The migration stops where the table `proof` is made, waiting for a lock this test holds.
  const holder = openClient({ connectionString: db.url });
  await holder.connect();
  await holder.query(`
    create function pause() returns event_trigger language plpgsql as $$ begin
      if exists (select from pg_event_trigger_ddl_commands() where object_identity = 'offchain.proof') then
        perform pg_advisory_xact_lock(99);
      end if;
    end $$;
    create event trigger pause on ddl_command_end when tag in ('CREATE TABLE') execute function pause();
    select pg_advisory_lock(99);`);
  const child = spawn(process.execPath, [entryOf("migrate")], {
    env: { MIGRATION_DATABASE_URL: db.url, DATABASE_URL: db.url },
    stdio: "ignore",
  });
  const paused = "select pid from pg_stat_activity where wait_event = 'advisory' and datname = current_database()";
  await expect.poll(async () => (await db.pool.query(paused)).rowCount).toBe(1);
  child.kill("SIGKILL");
  await once(child, "exit");
  await holder.end();

  await db.pool.query("drop event trigger pause");
  await expect.poll(async () => (await db.rows("select to_regnamespace('offchain') as it"))[0].it).toBeNull();
  await migrate(db.url);
  expect(await dumpOf(db)).toBe(await dumpOf(reference));
  await Promise.all([db.drop(), reference.drop()]);
});

it("let the role app read and write, also what later migrations add", async () => {
  const db = await testDatabase({ migrated: false });
  await migrate(db.url);
  await db.pool.query("create table offchain.later (id bigserial primary key)");
  const client = await db.pool.connect();
  await client.query("set role app");
  await client.query(
    "insert into offchain.cred_history (token_id, score, cause, block, at) values (1, 1, '', 1, now())",
  );
  await client.query("update offchain.cred_history set score = 2");
  await client.query("delete from offchain.cred_history");
  await client.query("select offchain.cred_history_rotate(now())");
  await client.query("insert into offchain.later default values");
  await expect(client.query("drop table offchain.later")).rejects.toMatchObject({ code: "42501" });
  client.release();
  await db.drop();
});

it("run triggers.sql again where it has changed, and nothing else", async () => {
  const [db, reference] = [await testDatabase(), await testDatabase()];
  await db.pool.query(`
    update migration.applied set hash = 'of an older file' where name = 'triggers.sql';
    drop trigger directory_mark_change on offchain.directory;
    create or replace function offchain.cred_mark_change() returns trigger language plpgsql as 'begin return new; end';
    delete from offchain.message_group where group_id = 'governance'`);
  await migrate(db.url);
  // The group has its row again, under the next ordinal.
  await db.pool.query("update offchain.message_group set ordinal = 6 where group_id = 'governance'");
  await db.pool.query("select setval('offchain.message_group_ordinal_seq', 6)");
  expect(await dumpOf(db)).toBe(await dumpOf(reference));
  await db.pool.query("drop trigger directory_mark_change on offchain.directory");
  await migrate(db.url);
  expect(await dumpOf(db)).not.toBe(await dumpOf(reference));
  await Promise.all([db.drop(), reference.drop()]);
});

it("wait for a write under way, which locks its tables in the same order, and stop none", async () => {
  const db = await testDatabase();
  await db.pool.query("update migration.applied set hash = 'another' where name = 'triggers.sql'");
  const writer = await db.pool.connect();
  try {
    await writer.query("begin");
    await writer.query(
      `insert into offchain.cred (token_id, score, activity, traits, verify, coinbase, age, narrative, origin, soulbound, seen_block, computed_at)
       values (1, 5, 0, 0, 0, 0, 0, 0, 0, 0, 1, now())`,
    );
    const migrated = migrate(db.url);
    await until("it waits", async () => {
      const { rows } = await db.pool.query(
        `select from pg_locks where relation = 'offchain.cred'::regclass and not granted
         and database = (select oid from pg_database where datname = current_database())`,
      );
      return rows.length > 0;
    });
    await writer.query(
      "insert into offchain.directory (platform, agent_id, name, cred_score) values ('helixa', '1', 'one', 5)",
    );
    await writer.query("update offchain.cred set score = 6 where token_id = 1");
    await writer.query("commit");
    await migrated;
  } finally {
    writer.release();
  }
  expect(await db.rows("select cred_score from offchain.directory_score")).toEqual([{ cred_score: 6 }]);
  await db.drop();
});

it("refuse a database of an earlier development version, and change nothing there", async () => {
  const earlier = await testDatabase({ migrated: false });
  await earlier.pool.query("create schema offchain; create table offchain.cred (token_id int8 primary key)");
  const edited = await testDatabase();
  await edited.pool.query("update migration.applied set hash = 'of another file' where name <> 'triggers.sql'");
  for (const db of [earlier, edited]) {
    const before = await dumpOf(db);
    const { code, stdout, stderr } = await migrateCommand(db.url);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toBe(
      "Cannot migrate: the database was made by an earlier development version, which cannot be upgraded; " +
        "use an empty database (for the local stack: npm run reset)\n",
    );
    expect(await dumpOf(db)).toBe(before);
  }
  expect(await earlier.rows("select to_regnamespace('migration') as found")).toEqual([{ found: null }]);
  await Promise.all([earlier.drop(), edited.drop()]);
});

/** `npm run migrate` of a version that has other migrations. @param of file → SQL */
function versionWith(of: Record<string, string>): (databaseUrl: string) => ReturnType<typeof migrateCommand> {
  const copy = folderOfTest("version");
  mkdirSync(join(copy, "db/migrations"), { recursive: true });
  for (const path of ["package.json", "dist", "db/triggers.sql"])
    cpSync(join(root, path), join(copy, path), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  for (const [file, sql] of Object.entries(of)) writeFileSync(join(copy, "db/migrations", file), sql);
  return (url) => migrateCommand(url, join(copy, "dist/migrate.js"));
}

it("count as one where a database has all that the initial one stands for, and refuse one that has a part", async () => {
  const present = migrations.map((file) => [file, readFileSync(join(root, "db/migrations", file), "utf8")]);
  const all = { ...Object.fromEntries(present), "9997_later.sql": "create table offchain.later (id text primary key)" };
  const earlier = versionWith(all);
  const [complete, edited] = [await testDatabase(), await testDatabase()];
  for (const { url } of [complete, edited]) expect(await earlier(url)).toMatchObject({ code: 0 });
  const digest = createHash("sha256");
  const { rows } = await complete.pool.query('select name, hash from migration.applied order by name collate "C"');
  for (const { name, hash } of rows.slice(0, -1)) digest.update(`${name} ${hash}\n`);
  const later = versionWith({
    "9998_initial.sql": `-- Stands for all migrations up to 9997_later.sql: ${digest.digest("hex")}\n${Object.values(all).join(";\n")}`,
    "9999_next.sql": "create table offchain.next (id text primary key)",
  });

  const fresh = await testDatabase({ migrated: false });
  for (const { url } of [complete, complete, fresh]) expect(await later(url)).toMatchObject({ code: 0, stderr: "" });
  for (const db of [complete, fresh])
    expect(await applied(db)).toEqual(["migrations/9998_initial.sql", "migrations/9999_next.sql", "triggers.sql"]);
  const dump = await dumpOf(fresh);
  expect(dump).toContain("\nlater.id type=text");
  expect(await dumpOf(complete)).toBe(dump);
  expect(await earlier(complete.url)).toMatchObject({ code: 0 });
  expect([await applied(complete), await dumpOf(complete)]).toEqual([await applied(fresh), dump]);

  const part = await testDatabase();
  await edited.pool.query("update migration.applied set hash = 'of another file' where name like '%9997%'");
  for (const db of [part, edited]) {
    const before = [await applied(db), await dumpOf(db)];
    const { code, stderr } = await later(db.url);
    expect([code, stderr]).toEqual([
      1,
      "Cannot migrate: the database does not have all migrations up to 9997_later.sql, which this version has as one; " +
        "run npm run migrate of the last version that has that file, then of this one (docs/operate/operations.md)\n",
    ]);
    expect([await applied(db), await dumpOf(db)]).toEqual(before);
  }
  await Promise.all([complete, edited, fresh, part].map((db) => db.drop()));
});

it("leave a database of a later version as it is", async () => {
  const db = await testDatabase();
  await db.pool.query(`
    insert into migration.applied (name, hash) values ('migrations/9999_later.sql', 'x');
    update migration.applied set hash = 'of a later file' where name = 'triggers.sql';
    drop trigger directory_mark_change on offchain.directory`);
  const before = await dumpOf(db);
  await migrate(db.url);
  expect(await dumpOf(db)).toBe(before);
  await db.drop();
});

it("get the next one from `npm run generate -- migration`, with its snapshot and its line in the journal", () => {
  const copy = folderOfTest("migration");
  for (const path of ["core", "db", "scripts/migration.ts", "drizzle.config.ts", "package.json"])
    cpSync(join(root, path), join(copy, path), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  const meta = (file: string) => JSON.parse(readFileSync(join(copy, "db/migrations/meta", file), "utf8"));
  const migration = (...words: string[]) =>
    spawnSync(process.execPath, [join(copy, "scripts/migration.ts"), ...words], { encoding: "utf8" });

  expect(migration("nothing_new").stdout).toContain("No schema changes, nothing to migrate");
  expect(migration().stderr).toBe("Usage: npm run generate -- migration <name_in_snake_case> [--custom]\n");

  writeFileSync(
    join(copy, "db/schema/agents.ts"),
    `${readFileSync(join(copy, "db/schema/agents.ts"), "utf8")}\nexport const later = offchain.table("later", (t) => ({ id: t.text().primaryKey() }));\n`,
  );
  const number = (of: number) => String(of).padStart(4, "0");
  const last = Number(migrations.at(-1)!.slice(0, 4));
  const { id: lastId } = meta(`${number(last)}_snapshot.json`);
  expect(migration("a_later_table").status).toBe(0);
  const tag = `${number(last + 1)}_a_later_table`;
  expect(readFileSync(join(copy, "db/migrations", `${tag}.sql`), "utf8")).toMatch(
    /^CREATE TABLE "offchain"\."later" \(\s+"id" text PRIMARY KEY NOT NULL\s+\);\s*$/,
  );
  expect(meta("_journal.json").entries.at(-1)).toMatchObject({ idx: last + 1, tag });
  expect(meta("_journal.json").entries).toHaveLength(migrations.length + 1);
  expect(meta(`${number(last + 1)}_snapshot.json`).prevId).toBe(lastId);
  expect(readdirSync(join(copy, "db/migrations/meta"))).toEqual([`${number(last + 1)}_snapshot.json`, "_journal.json"]);
});

it("tell in one sentence why they cannot run", async () => {
  const { code, stderr } = await migrateCommand("postgres://nobody:x@127.0.0.1:1/none");
  expect(code).toBe(1);
  expect(stderr).toMatch(/^Cannot migrate: .*ECONNREFUSED.*\n$/);
});
