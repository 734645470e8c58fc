/** Pools of connections: what their loss does to a process. */
import { expect, it } from "vitest";
import { openPool } from "../../db/connect.ts";
import { until } from "../../harness/until.ts";
import { testDatabase } from "../support/database.ts";

it("whose idle connections the server ends open others, and end no process where nobody listens", async () => {
  const db = await testDatabase({ migrated: false });
  const pool = openPool({ connectionString: db.url, max: 2 });
  const pid = async () => (await pool.query("select pg_backend_pid() as pid")).rows[0].pid as number;
  const first = await pid();
  await db.pool.query("select pg_terminate_backend($1)", [first]);
  await until("the pool has noticed", async () => pool.totalCount === 0);
  expect(await pid()).not.toBe(first);
  await pool.end();
  await db.drop();
});
