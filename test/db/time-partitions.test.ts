/** Tables partitioned by time: made of plain ones with all they have, kept ahead of time, and dropped by time, beside writers. */
import { beforeEach, expect, it, onTestFinished } from "vitest";
import { migrate } from "../../db/schema/migrate.ts";
import { testDatabase } from "../support/database.ts";
import { sql } from "../support/sql.ts";
import { perTest } from "../support/started.ts";
import { patiently } from "../support/time-partitions.ts";

const db = perTest(testDatabase);
beforeEach(async () => {
  await db.pool.query(`
    create table offchain.thing (name text primary key);
    insert into offchain.thing values ('a'), ('b');
    create table offchain.sample (
      id bigserial, at timestamptz not null, thing text not null default 'a' references offchain.thing,
      number int not null, constraint sample_id_at_pk primary key (id, at), constraint sample_number unique (number, at));
    create index sample_thing on offchain.sample (thing) where thing <> 'a';
    create unique index sample_double on offchain.sample ((number * 2), at)`);
});

const query = (text: string, values: unknown[] = []) => db.rows(text, values);
const add = (...times: string[]) =>
  db.pool.query(sql`insert into offchain.sample (at, number) select at, (select count(*) from offchain.sample) + n
    from unnest(${times}::timestamptz[]) with ordinality t(at, n)`);
const divide = (period = "day") => query("select offchain.partition_by_time('sample', 'at', $1)", [period]);
const make = async (time: string, period = "day") =>
  (await query("select offchain.make_partitions('sample', $1, $2) as made", [period, time]))[0].made as number;
const drop = async (before: string) =>
  (await query("select offchain.drop_partitions('sample', $1) as dropped", [before]))[0].dropped as number;
const parts = async () =>
  (await query("select part, begins, ends from offchain.time_partitions('sample') order by ends")).map(
    ({ part, begins, ends }) => [
      part,
      begins instanceof Date ? begins.toISOString() : String(begins),
      (ends as Date).toISOString(),
    ],
  );
const countOf = async (table: string) => (await query(`select count(*)::int4 as n from offchain.${table}`))[0].n;
/** Keys, indexes and foreign keys of a table and what its sequence belongs to, as statements. */
const shape = async () => ({
  keys: await query(
    "select conname, pg_get_constraintdef(oid) as def from pg_constraint where conrelid = 'offchain.sample'::regclass and contype in ('p', 'u', 'f') order by 1",
  ),
  indexes: (
    await query(
      "select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as def from pg_index where indrelid = 'offchain.sample'::regclass order by 1",
    )
  ).map(({ name, def }) => [name, def.replace("ON ONLY ", "ON ")]),
  sequence: await query("select pg_get_serial_sequence('offchain.sample', 'id') as of"),
  columns: await query(
    "select column_name, column_default, is_nullable from information_schema.columns where table_schema = 'offchain' and table_name = 'sample' order by 1",
  ),
});

it("a plain table keeps its rows in place, its keys, indexes, foreign keys and its sequence", async () => {
  await add("2026-01-01T12:00:00Z", "2026-03-01T23:59:59.999999Z");
  const [before, rows] = [await shape(), await query("select * from offchain.sample order by id")];
  const node = async (table: string) => query(`select pg_relation_filenode('offchain.${table}') as node`);
  const nodes = await node("sample");
  await divide();
  await divide();
  expect(await shape()).toEqual(before);
  expect(await query("select * from offchain.sample order by id")).toEqual(rows);
  expect(await node("sample_kept")).toEqual(nodes);
  expect(await parts()).toEqual([["sample_kept", "-Infinity", "2026-03-02T00:00:00.000Z"]]);
  // Every index of the partitions belongs to one of the table: none is there twice.
  expect(
    await query(
      "select c.relname from pg_index x join pg_class c on c.oid = x.indexrelid where indrelid in (select inhrelid from pg_inherits where inhparent = 'offchain.sample'::regclass) and not relispartition",
    ),
  ).toEqual([]);
  await make("2026-03-02T01:00:00Z");
  await add("2026-03-02T01:00:00Z", "2027-01-01T00:00:00Z");
  expect((await query("select id::int4 from offchain.sample order by id")).map(({ id }) => id)).toEqual([1, 2, 3, 4]);
  const refused = (code: string) => expect.objectContaining({ code });
  const put = (values: string) => query(`insert into offchain.sample (id, at, number, thing) values ${values}`);
  await expect(put("(1, '2026-01-01T12:00:00Z', 9, 'a')")).rejects.toEqual(refused("23505"));
  await expect(put("(9, '2026-03-02T01:00:00Z', 3, 'a')")).rejects.toEqual(refused("23505"));
  await expect(put("(9, '2026-03-02T01:00:00Z', 9, 'c')")).rejects.toEqual(refused("23503"));
  await expect(put("(9, '2026-01-02T01:00:00Z', 9, 'c')")).rejects.toEqual(refused("23503"));
  await expect(query("delete from offchain.thing where name = 'a'")).rejects.toEqual(refused("23503"));
});

it("an empty table has no partition of a former version", async () => {
  await divide("month");
  expect(await parts()).toEqual([]);
  await add("2026-03-02T01:00:00Z");
  expect(await countOf("sample_default")).toBe(1);
});

it("rows that came before their partition move into it, others stay where they are", async () => {
  await divide();
  await add("2026-03-01T23:59:59.999999Z", "2026-03-02T00:00:00Z", "2026-03-03T23:59:59Z", "2026-03-04T00:00:00Z");
  const rows = await query("select * from offchain.sample order by id");
  expect(await make("2026-03-02T13:00:00Z")).toBe(2);
  expect(await make("2026-03-02T23:00:00Z")).toBe(0);
  expect(await query("select * from offchain.sample order by id")).toEqual(rows);
  expect(await Promise.all(["sample_20260302", "sample_20260303", "sample_default"].map(countOf))).toEqual([1, 1, 2]);
  expect(await make("2026-03-03T13:00:00Z")).toBe(1);
  expect(await drop("2026-03-03T23:59:59Z")).toBe(1);
  expect(await drop("2026-03-04T00:00:00Z")).toBe(1);
  expect((await parts()).map(([part]) => part)).toEqual(["sample_20260304"]);
  expect((await query("select id::int4 from offchain.sample order by 1")).map(({ id }) => id)).toEqual([1, 4]);
});

it("periods may become longer and shorter: each partition begins where the last one ended", async () => {
  await divide();
  await make("2026-03-10T10:00:00Z");
  await make("2026-03-10T10:00:00Z", "month");
  await make("2026-03-10T10:00:00Z");
  await make("2026-04-30T10:00:00Z");
  await make("2026-05-02T10:00:00Z");
  const all = await parts();
  expect(all).toEqual([
    ["sample_20260310", "2026-03-10T00:00:00.000Z", "2026-03-11T00:00:00.000Z"],
    ["sample_20260311", "2026-03-11T00:00:00.000Z", "2026-03-12T00:00:00.000Z"],
    ["sample_20260312", "2026-03-12T00:00:00.000Z", "2026-04-01T00:00:00.000Z"],
    ["sample_20260401", "2026-04-01T00:00:00.000Z", "2026-05-01T00:00:00.000Z"],
    ["sample_20260501", "2026-05-01T00:00:00.000Z", "2026-05-02T00:00:00.000Z"],
    ["sample_20260502", "2026-05-02T00:00:00.000Z", "2026-05-03T00:00:00.000Z"],
    ["sample_20260503", "2026-05-03T00:00:00.000Z", "2026-05-04T00:00:00.000Z"],
  ]);
});

it("partitions are made and dropped beside writers, whose rows are all there once", async () => {
  await divide();
  const time = (n: number) => new Date(Date.UTC(2026, 2, 1) + n * 3_600_000).toISOString();
  const work = Array.from({ length: 120 }, (_, n) =>
    n % 10 === 4
      ? patiently(() => make(time(n)))
      : n % 10 === 8
        ? patiently(() => drop("2026-01-01T00:00:00Z"))
        : query("insert into offchain.sample (at, number) values ($1, $2), ($3, $2)", [time(n), n, time(n + 24)]),
  );
  const failures = (await Promise.allSettled(work)).filter(({ status }) => status === "rejected");
  expect(failures).toEqual([]);
  expect(await countOf("sample")).toBe(192);
  expect(await query("select number, at from offchain.sample group by 1, 2 having count(*) > 1")).toEqual([]);
  for (let n = 0; n < 168; n += 24) await make(time(n));
  expect(await countOf("sample_default")).toBe(0);
  await drop(time(400));
  expect(await countOf("sample")).toBe(0);
});

it("a lock that is held for long is given up, and nothing has changed", async () => {
  await divide();
  const holder = await db.pool.connect();
  await holder.query("begin");
  await holder.query("insert into offchain.sample (at, number) values ('2026-03-02T00:00:00Z', 1)");
  await expect(make("2026-03-02T00:00:00Z")).rejects.toMatchObject({ code: "55P03" });
  expect(await parts()).toEqual([]);
  await holder.query("commit");
  holder.release();
  expect(await make("2026-03-02T00:00:00Z")).toBe(2);
  expect(await countOf("sample_20260302")).toBe(1);
});

it("the role app may call what makes and drops partitions, and write what is in them, but make and drop no table", async () => {
  const fresh = await testDatabase({ migrated: false });
  onTestFinished(() => fresh.drop());
  await migrate(fresh.url);
  const client = await fresh.pool.connect();
  await client.query("set role app");
  for (const table of ["event", "directory_rank"]) {
    await client.query("select offchain.make_partitions($1, 'day', '2026-03-02T00:00:00Z')", [table]);
    await expect(client.query(`drop table offchain.${table}_20260302`)).rejects.toMatchObject({ code: "42501" });
  }
  await client.query(
    "insert into offchain.event (id, type, position, data, at, final) values ('evt_1', 'cred.changed', 1, '{}', '2026-03-02T01:00:00Z', true), ('evt_2', 'cred.changed', 2, '{}', '2020-01-01T01:00:00Z', true)",
  );
  await client.query("update offchain.event_log set kept_after = 2");
  const { rows } = await client.query(
    `select offchain.event_delete_strays(10) as strays, offchain.event_drop_partitions('2026-03-03T00:00:00Z') as events,
       offchain.drop_partitions('directory_rank', '2026-03-03T00:00:00Z') as ranks`,
  );
  expect(rows).toEqual([{ strays: 1, events: 1, ranks: 1 }]);
  client.release();
});

it("the role app may append to the log of probes, and change nothing in it, by whatever way", async () => {
  const fresh = await testDatabase({ migrated: false });
  onTestFinished(() => fresh.drop());
  await migrate(fresh.url);
  const client = await fresh.pool.connect();
  await client.query("set role app");
  await client.query("select offchain.make_partitions('probe', 'week', '2026-03-02T00:00:00Z')");
  await client.query(
    "insert into offchain.probe values ('2026-03-02T01:00:00Z', 1, 200, 5, true), ('2020-01-01', 1, 200, 5, true)",
  );
  for (const table of ["probe", "probe_20260302", "probe_default"])
    for (const change of [
      `update offchain.${table} set answers = false`,
      `delete from offchain.${table}`,
      `truncate offchain.${table}`,
    ])
      await expect(client.query(change)).rejects.toMatchObject({ code: "42501" });
  for (const change of ["update offchain.probe_subject set url = ''", "delete from offchain.probe_subject"])
    await expect(client.query(change)).rejects.toMatchObject({ code: "42501" });
  // It has those forgotten that no probe is of.
  await client.query("select offchain.forget_probe_subjects()");
  expect((await client.query("select status from offchain.probe")).rows).toEqual([{ status: 200 }, { status: 200 }]);
  // Nor has it the weeks dropped that are shown.
  await client.query("select offchain.make_partitions('probe', 'week', now())");
  await client.query("select offchain.drop_partitions('probe', 'infinity')");
  const { rows: kept } = await client.query(
    "select ends > now() as shown from offchain.time_partitions('probe') order by ends",
  );
  expect(kept).toEqual([{ shown: true }, { shown: true }]);
  // A second migration grants nothing of it.
  await migrate(fresh.url);
  await expect(client.query("delete from offchain.probe_default")).rejects.toMatchObject({ code: "42501" });
  client.release();
});
