/** The session of a pool: it listens, and holds locks, on one connection beside the pool's own. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { openPool } from "../../db/sql/connect.ts";
import { notifications } from "../../db/sql/notifications.ts";
import { until } from "../../harness/until.ts";
import { testDatabase } from "../support/database.ts";
import { perFile } from "../support/started.ts";

const db = perFile(() => testDatabase({ migrated: false }));
let pool: ReturnType<typeof openPool>;
beforeEach(() => {
  pool = openPool({ connectionString: db.url, max: 1 });
});
afterEach(() => pool.end());

const sessions = async () =>
  (
    await db.rows<{ pid: number }>(
      "select pid from pg_stat_activity where datname = current_database() and application_name = 'notifications'",
    )
  ).map(({ pid }) => pid);

it("runs work under a lock that nobody else has meanwhile, here or elsewhere, and takes no connection of the pool", async () => {
  const session = notifications(pool);
  const other = openPool({ connectionString: db.url, max: 1 });
  const held = Promise.withResolvers<void>();
  const entered = Promise.withResolvers<void>();
  const working = session.whileLocked("registry", async () => {
    entered.resolve();
    await held.promise;
    return (await pool.query("select 1 as one")).rows[0].one;
  });
  await entered.promise;
  const work = async () => "done";
  expect(await session.whileLocked("registry", work)).toBeNull();
  expect(await notifications(other).whileLocked("registry", work)).toBeNull();
  expect(await session.whileLocked("another", work)).toBe("done");
  const both = ["registry", "another"];
  for (const one of [session, notifications(other)])
    expect(await one.whileAnyLocked(both, async (mine) => mine)).toEqual(["another"]);
  held.resolve();
  expect(await working).toBe(1);
  expect(await notifications(other).whileAnyLocked(both, async (mine) => mine)).toEqual(both);
  await other.end();
});

it("gives the lock back when the work fails", async () => {
  const session = notifications(pool);
  await expect(session.whileLocked("registry", () => Promise.reject(new Error("no page")))).rejects.toThrow("no page");
  expect(await session.whileLocked("registry", async () => "done")).toBe("done");
});

it("keeps its connection from one use to the next, hears again after a loss, and ends with the pool", async () => {
  const session = notifications(pool);
  const heard: string[] = [];
  session.on("news", () => {})();
  const stop = session.on("news", (payload) => void heard.push(payload));
  await until("it listens", () => heard.includes(""));
  const [pid, ...more] = await sessions();
  expect(more).toEqual([]);
  stop();
  const stopped = heard.length;
  const again = session.on("news", (payload) => void heard.push(payload));
  await until("it listens once more", () => heard.length > stopped);
  await db.pool.query("notify news, 'one'");
  await until("it has heard", () => heard.includes("one"));
  expect(await sessions()).toEqual([pid]);
  const before = heard.length;
  await db.pool.query("select pg_terminate_backend($1)", [pid]);
  await until("it listens again", () => heard.length > before);
  await db.pool.query("notify news, 'two'");
  await until("it has heard again", () => heard.includes("two"));
  again();
  await pool.end();
  await until("its connection is closed", async () => (await sessions()).length === 0);
  pool = openPool({ connectionString: db.url, max: 1 });
});

it("is busy while the server refuses its connection, and works when there is one again", async () => {
  const role = `few_${process.pid}`;
  await db.pool.query(`create role ${role} login password 'p' connection limit 1`);
  const url = Object.assign(new URL(db.url), { username: role, password: "p" }).href;
  const few = openPool({ connectionString: url, max: 1 });
  const taken = await few.connect();
  const work = async () => "done";
  await expect(notifications(few).whileLocked("registry", work)).rejects.toMatchObject({ code: "overloaded" });
  taken.release(true);
  await until("it has the lock", async () => (await notifications(few).whileLocked("registry", work)) === "done");
  await few.end();
  await until("all are gone", async () => (await sessions()).length === 0);
  await db.pool.query(`drop role ${role}`);
});
