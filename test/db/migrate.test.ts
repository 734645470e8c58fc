/** Migrations end in one and the same schema, however often, by however many processes, and however abruptly. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { generateDrizzleJson, generateMigration } from "drizzle-kit/api";
import pg from "pg";
import { expect, it } from "vitest";
import { migrate } from "../../db/migrate.ts";
import * as schema from "../../db/schema.ts";
import { type TestDatabase, testDatabase } from "../support/database.ts";

const root = join(import.meta.dirname, "../..");

/** Tables, columns, indexes, constraints and sequences of the schema, as text. */
async function describeSchema(db: TestDatabase): Promise<string[]> {
  const { rows } = await db.pool.query(`
    select format('%s.%s %s %s %s', table_name, column_name, data_type, is_nullable, column_default) as line
      from information_schema.columns where table_schema = 'offchain'
    union all select indexdef from pg_indexes where schemaname = 'offchain'
    union all select conname || ' ' || pg_get_constraintdef(oid) from pg_constraint where connamespace = 'offchain'::regnamespace
    union all select sequencename from pg_sequences where schemaname = 'offchain'
    order by 1`);
  return rows.map((row) => row.line);
}

const applied = async (db: TestDatabase) =>
  (await db.pool.query("select count(*)::int4 as n from drizzle.__drizzle_migrations")).rows[0].n;

const migrations = readdirSync(join(root, "db/migrations")).filter((file) => file.endsWith(".sql"));

it("describe db/schema.ts: nothing is left to generate", async () => {
  const journal = JSON.parse(readFileSync(join(root, "db/migrations/meta/_journal.json"), "utf8"));
  const last = String(journal.entries.at(-1).idx).padStart(4, "0");
  const snapshot = JSON.parse(readFileSync(join(root, `db/migrations/meta/${last}_snapshot.json`), "utf8"));
  const current = generateDrizzleJson(schema, snapshot.id, ["offchain"], "snake_case");
  expect(await generateMigration(snapshot, current)).toEqual([]);
});

it("run twice and by three at once, to the same schema", async () => {
  const [once, often] = [await testDatabase({ migrated: false }), await testDatabase({ migrated: false })];
  await migrate(once.url);
  await Promise.all([migrate(often.url), migrate(often.url), migrate(often.url)]);
  await migrate(often.url);
  const lines = await describeSchema(once);
  expect(lines.length).toBeGreaterThan(100);
  expect(await describeSchema(often)).toEqual(lines);
  expect(await applied(often)).toBe(migrations.length);
  await Promise.all([once.drop(), often.drop()]);
});

it("killed half-way leave nothing, and are done by the next run", async () => {
  const db = await testDatabase({ migrated: false });
  const reference = await testDatabase();
  // The migration stops where the table `proof` is made, waiting for a lock this test holds.
  const holder = new pg.Client({ connectionString: db.url });
  await holder.connect();
  await holder.query(`
    create function pause() returns event_trigger language plpgsql as $$ begin
      if exists (select from pg_event_trigger_ddl_commands() where object_identity = 'offchain.proof') then
        perform pg_advisory_xact_lock(99);
      end if;
    end $$;
    create event trigger pause on ddl_command_end when tag in ('CREATE TABLE') execute function pause();
    select pg_advisory_lock(99);`);
  const child = spawn(process.execPath, [join(root, "db/migrate.ts")], {
    env: { MIGRATION_DATABASE_URL: db.url, DATABASE_URL: db.url },
    stdio: "ignore",
  });
  const paused = "select pid from pg_stat_activity where wait_event = 'advisory' and datname = current_database()";
  await expect.poll(async () => (await db.pool.query(paused)).rowCount, { timeout: 30_000 }).toBe(1);
  child.kill("SIGKILL");
  await once(child, "exit");
  await holder.end();

  await db.pool.query("drop event trigger pause");
  await expect
    .poll(async () => (await db.pool.query("select to_regnamespace('offchain') as it")).rows[0].it)
    .toBeNull();
  await migrate(db.url);
  expect(await describeSchema(db)).toEqual(await describeSchema(reference));
  await Promise.all([db.drop(), reference.drop()]);
});

it("let the role app read and write, also what later migrations add", async () => {
  const db = await testDatabase({ migrated: false });
  await db.pool.query(
    "do $$ begin create role app; exception when duplicate_object or unique_violation then null; end $$",
  );
  await migrate(db.url);
  await db.pool.query("create table offchain.later (id bigserial primary key)");
  const client = await db.pool.connect();
  await client.query("set role app");
  await client.query(
    "insert into offchain.cred_history (token_id, score, cause, block, at) values (1, 1, '', 1, now())",
  );
  await client.query("update offchain.cred_history set score = 2");
  await client.query("delete from offchain.cred_history");
  await client.query("insert into offchain.later default values");
  await expect(client.query("drop table offchain.later")).rejects.toMatchObject({ code: "42501" });
  client.release();
  await db.drop();
});

it("tell in one sentence why they cannot run", async () => {
  const child = spawn(process.execPath, [join(root, "db/migrate.ts")], {
    env: { DATABASE_URL: "postgres://nobody:x@127.0.0.1:1/none" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let words = "";
  child.stderr.on("data", (chunk) => {
    words += chunk;
  });
  const [code] = await once(child, "close");
  expect(code).toBe(1);
  expect(words).toMatch(/^Cannot migrate: .*ECONNREFUSED.*\n$/);
});
