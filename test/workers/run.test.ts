/** Running scheduled jobs: how each run went is recorded, and an upstream that is away waits for the next turn. */
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { fail } from "../../core/errors.ts";
import {
  claimRuns,
  jobCounts,
  RUN_FAILED,
  type RunOutcome,
  recordRuns,
  renewRuns,
  runSoon,
  scheduledRuns,
  stalledJobs,
} from "../../db/operations/job-runs.ts";
import { type TestLog, testLog } from "../../harness/log.ts";
import { until } from "../../harness/until.ts";
import { defineJob, type Job } from "../../workers/job.ts";
import { JOBS } from "../../workers/jobs.ts";
import { openJobMoves } from "../../workers/operations/job-moves.ts";
import { keepStorage, openQueues } from "../../workers/operations/queue.ts";
import { runWorkers } from "../../workers/run.ts";
import { testDatabase } from "../support/database.ts";
import { sql } from "../support/sql.ts";
import { endedPerTest, perTest } from "../support/started.ts";

const database = perTest(() => testDatabase({ indexed: true }));
/** Of its own, for what is said when the test has ended. */
let log: TestLog;
const queue = perTest(() => {
  log = testLog();
  return openQueues({ databaseUrl: database.url, prefix: "run", log });
});
const ended = endedPerTest();

const start = (run: () => Promise<number>, everyMs: number) =>
  startJobs([defineJob({ name: "pull", schedule: { everyMs }, run })]);
async function startJobs(jobs: readonly Job[]): Promise<void> {
  const context = { db: database.pool, queue, log, signer: null, clock: () => new Date(), fault: () => {} };
  ended(await runWorkers(context as never, jobs));
}
const recorded = async () => (await scheduledRuns(database.pool))[0];

it("an upstream that is away is told in the status, logged as a warning, and asked again at the next turn", async () => {
  let runs = 0;
  const seen = Promise.withResolvers<void>();
  await start(async () => {
    if (++runs === 1)
      fail("upstream_unavailable", "X cannot be asked at the moment.", { cause: new Error("status 500") });
    await seen.promise;
    return 7;
  }, 200);
  const first = await until("the first run", async () => {
    const run = await recorded();
    return run?.error && run;
  });
  expect(first).toMatchObject({ name: "pull", error: "X cannot be asked at the moment.", lastSuccessAt: null });
  await until("the next turn", () => runs === 2);
  seen.resolve();
  await until("its record", async () => (await recorded())?.rows === 7);
  expect(await recorded()).toMatchObject({ error: null });
  const levels = log.lines.map((line) => JSON.parse(line)).filter(({ job }) => job === "pull");
  expect(levels.filter(({ level }) => level === 40)).toMatchObject([{ err: { message: "status 500" } }]);
  expect(levels.filter(({ level }) => level >= 50)).toEqual([]);
});

it("any other failure is a mistake: it is tried again, and its text stays in the log", async () => {
  let runs = 0;
  const told = Promise.withResolvers<void>();
  await start(async () => {
    if (++runs > 1) {
      await told.promise;
      return 1;
    }
    throw new Error("secret inside");
  }, 600_000);
  await until("a failed run", async () => (await recorded())?.error === RUN_FAILED);
  told.resolve();
  await until("the retry", async () => (await recorded())?.rows === 1);
  expect(log.lines.join("")).toContain("secret inside");
});

it("a run that changed rows makes those due that find their work in them", async () => {
  let weighed = 0;
  let read = 0;
  const schedule = { everyMs: 3_600_000 };
  const figures = defineJob({ name: "figures", schedule, run: async () => ++weighed });
  const reads = defineJob({ name: "reads", schedule, followedBy: ["figures"], run: async () => read++ });
  await startJobs([figures, reads]);
  await until("the first runs", () => weighed === 1 && read === 1);
  await runSoon(database.pool, ["reads"]);
  await until("what follows", () => weighed === 2);
  const names = new Set(JOBS.map(({ name }) => name));
  expect(JOBS.flatMap(({ followedBy = [] }) => followedBy).filter((name) => !names.has(name))).toEqual([]);
});

it("what a lost queue held is queued again, also when the store or the database goes away half-way", async () => {
  let requeued = 0;
  let failure: Error | undefined = new Error("the database is away");
  const look = () =>
    keepStorage(queue, async () => {
      if (failure) throw failure;
      requeued++;
    });
  await expect(look()).rejects.toThrow("database");
  failure = undefined;
  for (let i = 0; i < 3; i++) await look();
  expect(requeued).toBe(1);
});

describe("the runs of scheduled jobs", () => {
  const everyMs = 3_600_000;
  const claim = (name = "pull") => claimRuns(database.pool, [{ name, everyMs, earlyMs: 0 }]);
  const record = (outcome: RunOutcome) => recordRuns(database.pool, new Map([["pull", outcome]]));
  const ago = (column: string) =>
    database.pool.query(`update offchain.job_run set ${column} = now() - interval '1 second'`);

  it("are shared by processes, and due again by the schedule of those who ask", async () => {
    expect(await claim()).toEqual({ names: ["pull"], nextMs: null });
    const { names, nextMs } = await claim();
    expect(names).toEqual([]);
    expect(nextMs).toBeLessThanOrEqual(30_000);
    const dueMs = await record({ rows: 2 });
    expect(dueMs).toBeGreaterThan(everyMs - 60_000);
    expect((await claim()).names).toEqual([]);
    await database.pool.query("update offchain.job_run set last_started_at = now() - interval '10 seconds'");
    expect(await claimRuns(database.pool, [{ name: "pull", everyMs: 5_000, earlyMs: 0 }])).toMatchObject({
      names: ["pull"],
    });
  });

  it("of a process that died are due again, and those of one that lives are not", async () => {
    await claim();
    await ago("running_until");
    await renewRuns(database.pool, { names: ["pull"] });
    expect((await claim()).names).toEqual([]);
    await ago("running_until");
    expect((await claim()).names).toEqual(["pull"]);
  });

  it("are due at once when there is work, after the one that is under way", async () => {
    await claim();
    await runSoon(database.pool, ["pull"]);
    expect((await claim()).names).toEqual([]);
    expect(await record({ rows: 0 })).toBeLessThanOrEqual(0);
    expect((await claim()).names).toEqual(["pull"]);
  });

  it("come early to run with one that is due, and do not come early alone", async () => {
    const all = ["pull", "prune", "sweep"];
    const due = (name: string, seconds: number) =>
      database.pool.query(sql`update offchain.job_run set next_run_at = now() + ${seconds} * interval '1 s'
        where name = ${name}`);
    const jobs = all.map((name) => ({ name, everyMs, earlyMs: name === "sweep" ? 0 : 30_000 }));
    const claimed = async () => {
      const { names } = await claimRuns(database.pool, jobs);
      await recordRuns(database.pool, new Map(names.map((name) => [name, { rows: 0 }])));
      return names.toSorted();
    };
    expect(await claimed()).toEqual(all.toSorted());
    await due("prune", 20);
    await due("sweep", -1);
    expect(await claimed()).toEqual(["sweep"]);
    await due("pull", -1);
    await due("sweep", 20);
    expect(await claimed()).toEqual(["prune", "pull"]);
    await due("pull", -1);
    await due("prune", 40);
    expect(await claimed()).toEqual(["pull"]);
  });

  it("are counted with what is queued of the job", async () => {
    const counts = () => jobCounts(database.pool, ["score", "pull"], () => queue.counts());
    await queue.add("pull", [{ data: {} }]);
    const none = { waiting: 0, active: 0, failed: 0, oldestSeconds: null };
    expect(await counts()).toEqual([
      { name: "score", ...none },
      { name: "pull", ...none, waiting: 1, oldestSeconds: expect.any(Number) },
    ]);
    await claim();
    expect((await counts())[1]).toMatchObject({ waiting: 1, active: 1, failed: 0 });
    await record({ error: RUN_FAILED, retryMs: 0 });
    await database.pool.query("update offchain.job_run set next_run_at = now() - interval '90 seconds'");
    expect((await counts())[1]).toMatchObject({ waiting: 2, active: 0, failed: 1, oldestSeconds: 90 });
  });
});

it("a backlog of one job delays no other: not a scheduled one, nor one that is queued", async () => {
  const ran: string[] = [];
  const over = Promise.withResolvers<void>();
  const job = (name: string, rest: Partial<Job>) =>
    defineJob({
      ...{ name, concurrency: 1, input: z.object({}), ...rest },
      async run() {
        ran.push(name);
        if (name === "bulk") await over.promise;
        return 0;
      },
    });
  const jobs = [
    job("bulk", { queued: true, concurrency: 4 }),
    job("light", { queued: true }),
    job("sweep", { schedule: { everyMs: 3_600_000 } }),
  ];
  await queue.add(
    "bulk",
    Array.from({ length: 1_000 }, () => ({ data: {} })),
  );
  await queue.add("light", [{ data: {} }]);
  await startJobs(jobs);
  await until("the others run", () => ran.includes("light") && ran.includes("sweep"));
  await until("as many as may", () => ran.filter((name) => name === "bulk").length === 4);
  over.resolve();
});

it("a job that does not run when it is due stands, and one under way does not", async () => {
  const { pool } = database;
  const stalled = () => stalledJobs(pool, async () => []);
  const [last_started_at, next_run_at] = [60, 10].map((minutes) => new Date(Date.now() - minutes * 60_000));
  for (const name of ["pull", "gone"]) await database.plant("job_run", { name, last_started_at, next_run_at });
  expect((await stalled()).map(({ name }) => name)).toEqual(["pull", "gone"].toSorted());
  const moves = openJobMoves(pool, ["pull", "score"], log);
  const over = Promise.withResolvers<void>();
  const run = moves.during("pull", () => over.promise);
  await moves.record();
  expect(await stalled()).toEqual([]);
  await pool.query("update offchain.job_move set moved_at = now() - interval '9 minutes'");
  expect(await stalled()).toEqual([{ name: "pull", seconds: 540 }]);
  over.resolve();
  await run;
  await moves.record();
  expect(await stalled()).toEqual([]);
  await pool.query("update offchain.job_move set moved_at = now() - interval '9 minutes'");
  // Nothing has moved since, so nothing is recorded.
  await moves.record();
  expect(await stalled()).toHaveLength(1);
  await moves.stop();
});
