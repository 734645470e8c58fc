/** Pools of connections: what their loss does to a process. */
import { expect, it } from "vitest";
import { openClient, openPool, openReadOnlyPool } from "../../db/sql/connect.ts";
import { SESSION_SETTINGS } from "../../db/sql/session-settings.ts";
import { transaction } from "../../db/sql/transaction.ts";
import { until } from "../../harness/until.ts";
import { testDatabase } from "../support/database.ts";
import { endedPerTest, perTest } from "../support/started.ts";

const db = perTest(() => testDatabase({ migrated: false }));
const ended = endedPerTest();

it("whose idle connections the server ends open others, and end no process where nobody listens", async () => {
  const pool = ended(openPool({ connectionString: db.url, max: 2 }));
  const pid = async () => (await pool.query("select pg_backend_pid() as pid")).rows[0].pid as number;
  const first = await pid();
  await db.pool.query("select pg_terminate_backend($1)", [first]);
  await until("the pool has noticed", async () => pool.totalCount === 0);
  expect(await pid()).not.toBe(first);
});

it("that refused a write, and all made before it, are given up: the next ones ask again where the primary is", async () => {
  const pool = ended(openPool({ connectionString: db.url, max: 3, idleTimeoutMillis: 0 }));
  const pids = async () => {
    const clients = await Promise.all([1, 2, 3].map(() => pool.connect()));
    const answers = await Promise.all(clients.map((client) => client.query("select pg_backend_pid() as pid")));
    for (const client of clients) client.release();
    return answers.map(({ rows }) => rows[0].pid as number);
  };
  const before = await pids();
  await pool.query("create table written (n int)");
  // As a standby: what is connected reads and cannot write, and who reads notices nothing.
  const held = await pool.connect();
  const write = transaction(
    pool,
    async (tx) => void (await tx.query("insert into written values (1)")),
    "begin read only",
  );
  await expect(write).rejects.toMatchObject({ code: "25006" });
  expect((await held.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
  held.release();
  await until("the pool has let them go", () => pool.totalCount === 0);
  const after = await pids();
  expect(after.filter((pid) => before.includes(pid))).toEqual([]);
  await transaction(pool, async (tx) => void (await tx.query("insert into written values (2)")));
});

it("that only read keep their connections when they refuse a write", async () => {
  const pool = ended(openReadOnlyPool({ connectionString: db.url, max: 1 }));
  const client = await pool.connect();
  const { rows: before } = await client.query("select pg_backend_pid() as pid");
  await expect(client.query("create table written (n int)")).rejects.toMatchObject({ code: "25006" });
  client.release();
  expect((await pool.query("select pg_backend_pid() as pid")).rows).toEqual(before);
});

it("whose plans are out of date are given up alone", async () => {
  const pool = ended(openPool({ connectionString: db.url, max: 2 }));
  await pool.query("create table planned (n int)");
  const other = await pool.connect();
  const read = (tx: Pick<typeof other, "query">) => tx.query({ name: "read-planned", text: "select * from planned" });
  await transaction(pool, read);
  await other.query("alter table planned add column m int");
  const pid = async (tx: Pick<typeof other, "query">) => (await tx.query("select pg_backend_pid() as pid")).rows[0].pid;
  const failed: number[] = [];
  const reads = async () =>
    transaction(pool, async (tx) => {
      failed.push(await pid(tx));
      return read(tx);
    });
  const first = await reads().catch((error) => error);
  expect(first).toMatchObject({ code: "0A000" });
  expect((await reads()).fields).toHaveLength(2);
  expect(failed[0]).not.toBe(failed[1]);
  other.release();
});

it("beside the pools ask a server that refused them ever more rarely, all of a process together, until one is let in", async () => {
  await db.pool.query("create role crowded login password 'geheim' connection limit 1");
  const connectionString = Object.assign(new URL(db.url), { username: "crowded", password: "geheim" }).href;
  const waits: number[] = [];
  const open = () => openClient({ connectionString }, async (ms) => void waits.push(ms));
  const first = open();
  await first.connect();
  for (let i = 0; i < 7; i++) await expect(open().connect()).rejects.toMatchObject({ code: "53300" });
  expect(waits).toHaveLength(6);
  for (const [i, ms] of waits.entries()) {
    const most = Math.min(500 * 2 ** i, 5_000);
    expect(ms).toBeGreaterThanOrEqual(most / 2);
    expect(ms).toBeLessThanOrEqual(most);
  }
  await first.end();
  const ended = open();
  const connecting = ended.connect();
  await ended.end();
  await expect(connecting).rejects.toThrow("The connection was ended before it was made.");
  await until("the server has let one go", () =>
    open()
      .connect()
      .then((client) => client.end())
      .then(() => true),
  );
  const asked = waits.length;
  const next = open();
  await next.connect();
  expect(waits).toHaveLength(asked);
  await next.end();
  await db.pool.query("drop role crowded");
});

/** What a role, a database or a server may have been given. */
const HOSTILE = {
  default_transaction_isolation: "serializable",
  default_transaction_read_only: "on",
  statement_timeout: "1",
  lock_timeout: "1",
  idle_in_transaction_session_timeout: "1",
  idle_session_timeout: "1",
  search_path: "pg_temp",
  client_encoding: "LATIN1",
  TimeZone: "America/New_York",
  DateStyle: "German",
  IntervalStyle: "sql_standard",
  bytea_output: "escape",
  extra_float_digits: "-15",
  standard_conforming_strings: "off",
  jit: "on",
};

it("whose role has settings of its own have those that the service relies on, and their pools' after these", async () => {
  expect(Object.keys(HOSTILE)).toEqual(Object.keys(SESSION_SETTINGS));
  await db.pool.query("create role hostile login superuser password 'geheim'");
  for (const [name, value] of Object.entries(HOSTILE))
    await db.pool.query(`alter role hostile set ${name} = '${value}'`);
  const url = new URL(db.url);
  url.username = "hostile";
  url.password = "geheim";
  const pool = openPool({
    connectionString: url.href,
    statement_timeout: 15_000,
    options: "-c search_path=bullmq",
    max: 1,
  });
  for (const [name, value] of Object.entries(SESSION_SETTINGS)) {
    const { rows } = await pool.query("select current_setting($1) as value", [name]);
    const own: Record<string, string> = { statement_timeout: "15s", search_path: "bullmq" };
    expect([name, rows[0].value]).toEqual([name, own[name] ?? value]);
  }
  await pool.end();
  await db.pool.query("drop role hostile");
});
