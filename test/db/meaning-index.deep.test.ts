/** The index over meanings in a Postgres that has the extension `vector`: PGlite brings it, the test's own server does not. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { vector } from "@electric-sql/pglite/vector";
import type pg from "pg";
import { beforeAll, expect, it } from "vitest";
import { indexMeanings } from "../../db/schema/meaning-index.ts";
import { PROJECT_ROOT } from "../../runtime/project-root.ts";
import { perFile } from "../support/started.ts";

const DIMENSIONS = 128;
const ROWS = 1_500;
const TRIGGERS = readFileSync(join(PROJECT_ROOT, "db/triggers.sql"), "utf8");
/** The functions that compare meanings, as db/triggers.sql makes them. */
const FUNCTIONS = TRIGGERS.match(/create or replace function offchain\.discovery_near[\s\S]*?\$\$;/g)!.join("\n");

const db = perFile(() => new PGlite({ extensions: { vector } }));
/** PGlite as a client of `pg`, as far as it is used here. */
const client = {
  query: async (given: string | { text: string; values: unknown[] }) =>
    typeof given === "string" ? db.exec(given) : db.query(given.text, given.values),
} as unknown as pg.ClientBase;
const exact = () => db.exec(FUNCTIONS);

beforeAll(async () => {
  const migrations = join(PROJECT_ROOT, "db/migrations");
  const table = readdirSync(migrations)
    .filter((name) => name.endsWith(".sql"))
    .flatMap((name) => readFileSync(join(migrations, name), "utf8").split("--> statement-breakpoint"))
    .find((sql) => sql.includes('CREATE TABLE "offchain"."discovery_meaning"'))!;
  await db.exec(`create schema offchain; ${table}; ${FUNCTIONS}`);
  // Fifty meanings, and texts that differ from theirs in about an eighth of the signs.
  await db.exec(`
    create table kind as select k, (select string_agg((random() < 0.5)::int::text, '')
      from generate_series(1, ${DIMENSIONS}) where k = k)::varbit as signs from generate_series(0, 49) k;
    insert into offchain.discovery_meaning (directory_id, digest, model, read_at, signs)
    select i, decode(md5(i::text), 'hex'), 'a', now(),
      kind.signs # (select string_agg((random() < 0.125)::int::text, '') from generate_series(1, ${DIMENSIONS}) where i = i)::varbit
    from generate_series(1, ${ROWS}) i join kind on k = i % 50`);
});

const nearTo = async (id: number, { model = "a", most = 20, by = "discovery_near" } = {}) =>
  (
    await db.query<{ directory_id: number }>(
      `select n.directory_id from offchain.discovery_meaning m, offchain.${by}(m.signs, $2, $3) n where m.directory_id = $1`,
      [id, model, most],
    )
  ).rows.map(({ directory_id }) => Number(directory_id));
const indexes = async () =>
  (await db.query<{ name: string }>("select indexname as name from pg_indexes where indexname like '%near%'")).rows.map(
    ({ name }) => name,
  );

it("compares all without the extension, and without a size of vectors", async () => {
  expect(await indexMeanings(client, DIMENSIONS, exact)).toBe(false);
  await db.exec("create extension vector");
  expect(await indexMeanings(client, null, exact)).toBe(false);
  expect([await indexes(), (await nearTo(7))[0]]).toEqual([[], 7]);
});

it("finds through the index what the comparison of all finds", async () => {
  expect(await indexMeanings(client, DIMENSIONS, exact)).toBe(true);
  expect(await indexMeanings(client, DIMENSIONS, exact)).toBe(true);
  expect(await indexes()).toEqual([`discovery_meaning_near_${DIMENSIONS}`]);
  let [same, all] = [0, 0];
  for (let id = 1; id <= 100; id++) {
    const wanted = await nearTo(id, { by: "discovery_near_exact" });
    const found = await nearTo(id);
    expect(found[0]).toBe(id);
    all += wanted.length;
    same += wanted.filter((one) => found.includes(one)).length;
  }
  expect(same / all).toBeGreaterThan(0.95);
  const { rows } = await db.query<{ plan: string }>(
    `explain select * from offchain.discovery_meaning where signs is not null
     order by (signs::bit(${DIMENSIONS})) <~> B'${"01".repeat(DIMENSIONS / 2)}'::bit(${DIMENSIONS}) limit 20`,
  );
  expect(JSON.stringify(rows)).toContain(`Index Scan using discovery_meaning_near_${DIMENSIONS}`);
});

it("gives more than the index reaches, and nothing of another model", async () => {
  expect(await nearTo(7, { most: 1_000 })).toHaveLength(1_000);
  expect(await nearTo(7, { most: 400 })).toHaveLength(400);
  expect(await nearTo(7, { model: "b" })).toEqual([]);
});

it("makes the index anew for another size, and takes it away with the provider", async () => {
  await db.exec("update offchain.discovery_meaning set signs = null, model = 'b' where directory_id > 100");
  expect(await indexMeanings(client, 64, exact)).toBe(true);
  expect(await indexes()).toEqual(["discovery_meaning_near_64"]);
  // Vectors of the size before are compared until the job has made all anew.
  expect((await nearTo(7))[0]).toBe(7);
  expect(await indexMeanings(client, null, exact)).toBe(false);
  expect([await indexes(), (await nearTo(7))[0]]).toEqual([[], 7]);
});
