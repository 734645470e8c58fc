/** The months of the score history: partitions begin, nothing is missed, and what is removed leaves every later answer as it was. */
import { expect, it } from "vitest";
import { recomputeCred, retractCred } from "../../db/cred/cred.ts";
import { credHeld } from "../../db/cred/cred-history.ts";
import { beginMonth, historyState, removeMonths } from "../../db/cred/cred-history-months.ts";
import { fullPass } from "../../db/cred/cred-passes.ts";
import { credUpdates } from "../../db/cred/cred-updates.ts";
import { openPool } from "../../db/sql/connect.ts";
import { NEVER } from "../../harness/patience.ts";
import { until } from "../../harness/until.ts";
import { credHistory, retainMonths } from "../../workers/cred/score.ts";
import { JOBS } from "../../workers/jobs.ts";
import { randomAgents } from "../support/agents.ts";
import { testDatabase } from "../support/database.ts";
import { plantAgents } from "../support/plant-agents.ts";
import { perTest } from "../support/started.ts";
import { formerDatabase, partsOf, sequenced } from "../support/time-partitions.ts";

const AGENTS = 20;
const DAY_MS = 86_400_000;
const START = Date.parse("2026-01-10T00:00:00Z");
const day = (n: number) => new Date(START + n * DAY_MS);

const db = perTest(() => testDatabase({ indexed: true }));

/** A point of an agent at a time, one for all agents whose number divides the day's. */
async function live(days: number, from = 0) {
  for (let n = from; n < from + days; n++) {
    await beginMonth(db.pool, day(n));
    await db.pool.query(
      `insert into offchain.cred_history (token_id, score, cause, block, at)
       select i, ($1::int + i) % 100, 'age', $1::int + 1, $2::timestamptz from generate_series(1, $3::int) i where $1::int % i = 0`,
      [n, day(n), AGENTS],
    );
  }
}
const parts = () => partsOf(db, "cred_history");
const held = (agent: number, at: Date) => credHeld(db.pool, agent, { at, block: null });

it("begin with the first write of each month, once, whoever runs the job, and no reader by id misses a point", async () => {
  await live(100);
  expect(await parts()).toEqual(["1", "2", "3", "4", "5", "default", "kept"]);
  expect(await Promise.all([1, 2, 3].map(() => beginMonth(db.pool, day(120))))).toHaveLength(3);
  expect((await parts()).length).toBe(8);
  const { rows } = await db.pool.query("select id::int8, at from offchain.cred_history order by id");
  expect(rows.map(({ at }) => at.getTime())).toEqual(rows.map(({ at }) => at.getTime()).toSorted((a, b) => a - b));
  expect(await historyState(db.pool)).toEqual({ keptSince: null, stray: 0 });
  const read: number[] = [];
  for (let after = 0; ; ) {
    const { updates, more } = await credUpdates(db.pool, { after, limit: 50 });
    read.push(...updates.map(({ id }) => id));
    after = updates.at(-1)?.id ?? after;
    if (!more) break;
  }
  expect(read).toEqual(rows.map(({ id }) => Number(id)));
});

it("that are removed change no answer about the time since, and leave the last point of each agent", async () => {
  await live(100);
  const now = day(99);
  const moments = Array.from({ length: 100 }, (_, n) => day(n));
  const answers = async () =>
    Promise.all(
      moments.map((at) =>
        Promise.all(
          Array.from({ length: AGENTS }, async (_, i) => {
            const point = await held(i + 1, at);
            return point && { score: point.score, at: point.at, until: point.until };
          }),
        ),
      ),
    );
  const before = await answers();
  // Of two at once, one removes them.
  const cut = new Date(now.getTime() - 45 * DAY_MS);
  expect((await Promise.all([removeMonths(db.pool, cut), removeMonths(db.pool, cut)])).toSorted()).toEqual([0, 3]);
  const { keptSince } = await historyState(db.pool);
  expect(keptSince).toEqual(new Date("2026-03-01T00:00:00Z"));
  const after = await answers();
  const whole = moments.findIndex((at) => at >= keptSince!);
  expect(after.slice(whole)).toEqual(before.slice(whole));
  // Of the time before, an answer is the same or there is none.
  for (const [n, ofDay] of after.slice(0, whole).entries())
    for (const [i, point] of ofDay.entries()) if (point !== null) expect(point).toEqual(before[n]![i]);
  expect(after.slice(0, whole).flat()).toContain(null);
  expect(await removeMonths(db.pool, cut)).toBe(0);
  // Twenty agents, each once, below the bound; no correction tells a reader of it.
  const kept = await db.pool.query("select token_id from offchain.cred_history_kept");
  expect(kept.rowCount).toBe(AGENTS);
  expect((await db.pool.query("select from offchain.cred_correction")).rowCount).toBe(0);
  await live(10, 100);
  expect(await removeMonths(db.pool, day(109))).toBe(2);
  expect((await db.pool.query("select from offchain.cred_history_kept")).rowCount).toBe(AGENTS);
  expect(await historyState(db.pool)).toMatchObject({ stray: 0 });
});

it("that are removed take no event back, and a reorganisation finds the score before", async () => {
  await plantAgents(db.pool, randomAgents(4, day(0), 7));
  await beginMonth(db.pool, day(0));
  await fullPass(db.pool, { now: day(0), cause: "test" });
  const { rows } = await db.pool.query(
    "select token_id::int4 as id, score, seen_block::int4 as block from offchain.cred order by 1",
  );
  await sequenced(db);
  await beginMonth(db.pool, day(40));
  await beginMonth(db.pool, day(80));
  // Its newest point is of the second month; the one before it goes.
  await db.pool.query(
    "update onchain.agent set points = points + 50, soulbound = not soulbound, updated_block = updated_block + 10",
  );
  await fullPass(db.pool, { now: day(0), cause: "test" });
  await sequenced(db);
  expect(await removeMonths(db.pool, day(81))).toBe(3);
  await db.pool.query(
    "update onchain.agent set points = points - 50, soulbound = not soulbound, updated_block = updated_block - 10",
  );
  const [first] = rows;
  await retractCred(db.pool, [{ tokenId: first.id, block: first.block + 1 }], day(0));
  await sequenced(db);
  const points = await db.pool.query("select score from offchain.cred_history where token_id = $1 order by id", [
    first.id,
  ]);
  expect(points.rows).toEqual([{ score: first.score }]);
  const events = await db.pool.query(
    "select (data ->> 'score')::int4 as score, retracted from offchain.event where type = 'cred.changed' and token_id = $1 and retracts is null order by position",
    [first.id],
  );
  expect(events.rows.map(({ retracted }) => retracted)).toEqual([false, true]);
});

it("lose nothing that is taken back while points are collected", async () => {
  await live(100);
  const cut = day(99);
  const { rows } = await db.pool.query("select offchain.cred_history_gather($1)::int8 as bound", [cut]);
  await db.pool.query(
    `delete from offchain.cred_history where token_id = 2 and id = (
       select max(id) from offchain.cred_history where token_id = 2 and id < $1)`,
    [rows[0].bound],
  );
  await db.pool.query("delete from offchain.cred_history where token_id = 3");
  const expected = await db.pool.query(
    "select distinct on (token_id) token_id, id from offchain.cred_history where id < $1 order by token_id, id desc",
    [rows[0].bound],
  );
  await db.pool.query("select offchain.cred_history_swap($1, 0)", [rows[0].bound]);
  const kept = await db.pool.query("select token_id, id from offchain.cred_history_kept order by token_id");
  expect(kept.rows).toEqual(expected.rows);
  expect(kept.rowCount).toBe(AGENTS - 1);
});

it("are begun and removed beside writers and readers, who lose nothing", async () => {
  await live(100);
  await plantAgents(db.pool, randomAgents(30, day(0), 7));
  const ids = Array.from({ length: 30 }, (_, i) => i);
  await db.pool.query("delete from offchain.cred_history where id >= 4::int8 << 30");
  const write = async (n: number) => {
    await db.pool.query(
      "update onchain.agent set points = (points + 17) % 50, updated_block = updated_block + 1 where token_id = $1",
      [n % 30],
    );
    await recomputeCred(db.pool, { tokenIds: ids }, { now: day(100), cause: "test" });
  };
  const work = Array.from({ length: 60 }, (_, n) =>
    n % 20 === 7
      ? beginMonth(db.pool, day(130 + n))
      : n % 20 === 9
        ? removeMonths(db.pool, day(60 + n))
        : n % 2 === 0
          ? write(n)
          : held(n % AGENTS, day(99)),
  );
  const failures = (await Promise.allSettled(work)).filter((outcome) => outcome.status === "rejected");
  expect(failures).toEqual([]);
  const { rows } = await db.pool.query(
    `select c.token_id from offchain.cred c where c.score is distinct from
      (select h.score from offchain.cred_history h where h.token_id = c.token_id order by h.id desc limit 1)`,
  );
  expect(rows).toEqual([]);
  expect(await historyState(db.pool)).toMatchObject({ stray: 0 });
});

it("without a partition take the points nevertheless, and the metric tells", async () => {
  await db.pool.query("select setval('offchain.cred_history_id_seq', 7::int8 << 30)");
  await db.plant("cred_history", { token_id: 1, score: 5 });
  expect(await historyState(db.pool)).toEqual({ keptSince: null, stray: 1 });
  expect(await held(1, new Date())).toMatchObject({ score: 5 });
});

it("are removed by the job where the operator says for how long", async () => {
  expect(JOBS).toContain(credHistory);
  await live(100);
  const run = (retentionMs?: number) => retainMonths(db.pool, { now: day(99), retentionMs });
  expect(await run()).toBe(0);
  expect(await run(45 * DAY_MS)).toBe(3);
  expect(await parts()).toEqual(["3", "4", "5", "default", "kept"]);
});

it("are kept by the job as long as the oldest snapshot that they lead on from, if it is not too old", async () => {
  await live(100);
  const config = { credHistoryRetentionMs: 1_000, eventRetentionMs: 1_000, snapshots: { retentionMs: 1e12 } };
  const run = (snapshots?: object) => credHistory.run({ db: db.pool, config, snapshots } as never, {});
  const manifest = async (id: string) => ({ takenAt: (id < "2026" ? day(1) : day(55)).toISOString() });
  await run({ ids: async () => ["20260306T000000Z", "19900101T000000Z"], manifest });
  const { keptSince } = await historyState(db.pool);
  expect([keptSince! > day(20), keptSince! <= day(54)]).toEqual([true, true]);
  await run();
  expect((await historyState(db.pool)).keptSince! > day(55)).toBe(true);
});

it("are kept while the snapshots are away as for one as old as can be, older ones are removed, and the job says so", async () => {
  await live(100);
  const ids = () => Promise.reject(new Error("away"));
  const snapshots = { place: { ids } as never, since: day(55) };
  await expect(retainMonths(db.pool, { now: day(99), retentionMs: 1_000, snapshots })).rejects.toThrow("away");
  const { keptSince } = await historyState(db.pool);
  expect([keptSince! > day(20), keptSince! <= day(54)]).toEqual([true, true]);
});

it("are collected for as long as it takes, whatever limit of time the pool's statements have", async () => {
  await live(100);
  const LIMIT_MS = 5 * NEVER;
  const hurried = openPool({ connectionString: db.url, max: 1, statement_timeout: LIMIT_MS });
  const holder = await db.pool.connect();
  try {
    await holder.query("begin; select pg_advisory_xact_lock(hashtextextended('cred-history', 0))");
    const removed = removeMonths(hurried, day(54));
    await until("it has run for longer than the limit", async () => {
      const { rows } = await db.pool.query(
        `select from pg_stat_activity where datname = current_database() and query like '%cred_history_gather%'
         and wait_event_type = 'Lock' and clock_timestamp() - query_start > $1 * interval '2 ms'`,
        [LIMIT_MS],
      );
      return rows.length === 1;
    });
    await holder.query("commit");
    expect(await removed).toBeGreaterThan(0);
  } finally {
    holder.release();
    await hurried.end();
  }
});

it("are made of the table of a former version, whose points stay where they are", async () => {
  const former = await formerDatabase();
  await former.pool.query(
    `insert into offchain.cred_history (token_id, score, cause, block, at) select i, 1, 'age', 1, now() from generate_series(1, 50) i`,
  );
  const points = "select * from offchain.cred_history order by id";
  const before = await former.rows(points);
  const node = await former.rows("select pg_relation_filenode('offchain.cred_history') as node");
  await former.upgrade();
  await former.upgrade();
  expect(await former.rows(points)).toEqual(before);
  expect(await former.rows("select pg_relation_filenode('offchain.cred_history_kept') as node")).toEqual(node);
  await former.plant("cred_history", { token_id: 1, score: 2 });
  expect(await former.rows("select max(id)::int4 as id from offchain.cred_history")).toEqual([{ id: 51 }]);
  await former.drop();
});
