/** What works through a real PgBouncer: in session mode what needs a session, in transaction mode what does not. */
import { describe, expect, it } from "vitest";
import { openPool } from "../../db/sql/connect.ts";
import { notifications } from "../../db/sql/notifications.ts";
import { transaction } from "../../db/sql/transaction.ts";
import type { TurnPool } from "../../db/sql/turn-pool.ts";
import { startPgBouncer } from "../../harness/pgbouncer.ts";
import { PROGRAMS } from "../../harness/programs.ts";
import { until } from "../../harness/until.ts";
import { testDatabase } from "../support/database.ts";
import { endedPerTest, perFile } from "../support/started.ts";

describe.runIf(PROGRAMS.pgbouncer.path)("through PgBouncer", () => {
  const db = perFile(() => testDatabase({ migrated: false }));
  const ended = endedPerTest();

  /** Pools of several processes on one PgBouncer. */
  async function pools(mode: "session" | "transaction", count: number): Promise<TurnPool[]> {
    const bouncer = ended(await startPgBouncer(db.url, mode));
    const open = () => openPool({ connectionString: bouncer.url, max: 4, statement_timeout: 15_000 });
    return Array.from({ length: count }, () => ended(open()));
  }

  it("in session mode notifications, session locks, prepared statements and transactions work", async () => {
    const [one, other] = await pools("session", 2);
    const heard: string[] = [];
    ended(notifications(one!).on("news", (payload) => void heard.push(payload)));
    await until("it listens", () => heard.includes(""));
    await other!.query("notify news, 'yes'");
    await until("it has heard", () => heard.includes("yes"));
    const inside = await notifications(one!).whileLocked("registry", () =>
      notifications(other!).whileLocked("registry", async () => "both"),
    );
    expect(inside).toBeNull();
    const prepared = () => one!.query({ name: "doubled", text: "select $1::int * 2 as doubled", values: [21] });
    expect((await Promise.all([prepared(), prepared(), prepared()])).map(({ rows }) => rows[0].doubled)).toEqual([
      42, 42, 42,
    ]);
    expect(await transaction(one!, async (tx) => (await tx.query("select 1 as one")).rows[0].one)).toBe(1);
  });

  it("in transaction mode statements and transactions work, and a session lock keeps nobody out", async () => {
    const [one, other] = await pools("transaction", 2);
    const reads = Array.from({ length: 20 }, (_, i) => one!.query("select $1::int as i", [i]));
    expect((await Promise.all(reads)).map(({ rows }) => rows[0].i)).toEqual(reads.map((_, i) => i));
    expect(await transaction(one!, async (tx) => (await tx.query("select 1 as one")).rows[0].one)).toBe(1);
    // Both clients are given the one connection of the server, one after the other: it has the lock already.
    const inside = await notifications(one!).whileLocked("registry", () =>
      notifications(other!).whileLocked("registry", async () => "both"),
    );
    expect(inside).toBe("both");
  });
});
