/** Running scheduled jobs: how each run went is recorded, and an upstream that is away waits for the next turn. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { z } from "zod";
import { fail } from "../../core/errors.ts";
import { standingJobs } from "../../db/operations/job-runs.ts";
import { scheduledRuns } from "../../db/operations/service-status.ts";
import { type TestLog, testLog } from "../../harness/log.ts";
import { until } from "../../harness/until.ts";
import { defineJob, type Job } from "../../workers/job.ts";
import { openJobMoves } from "../../workers/operations/job-moves.ts";
import { openQueues, type Queues } from "../../workers/operations/queue.ts";
import { scheduleKeeper } from "../../workers/operations/schedules.ts";
import { runWorkers, type Workers } from "../../workers/run.ts";
import { type TestDatabase, testDatabase } from "../support/database.ts";

let database: TestDatabase;
let queue: Queues;
let log: TestLog;
let workers: Workers | undefined;
beforeEach(async () => {
  log = testLog();
  database = await testDatabase({ indexed: true });
  queue = await openQueues({ databaseUrl: database.url, prefix: "run", log });
});
afterEach(async () => {
  await workers?.stop();
  workers = undefined;
  await queue.close();
  await database.drop();
});

async function start(run: () => Promise<number>, everyMs: number): Promise<void> {
  const job: Job = defineJob({ name: "pull", concurrency: 1, schedule: { everyMs }, input: z.object({}), run });
  const context = { db: database.pool, queue, log, signer: null, clock: () => new Date(), fault: () => {} };
  workers = await runWorkers(context as never, [job]);
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
  const first = await until("the first run", recorded);
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
  await until("a failed run", async () => (await recorded())?.error === "The run failed; the log says why.");
  told.resolve();
  await until("the retry", async () => (await recorded())?.rows === 1);
  expect(log.lines.join("")).toContain("secret inside");
});

it("what a lost queue held is queued again, also when the store or the database goes away half-way", async () => {
  const known = new Set<string>();
  const troubles = [new Error("the store is away"), new Error("the database is away")];
  let requeued = 0;
  const schedule = async (name: string) => {
    if (name === "second" && troubles.length === 2) throw troubles.shift();
    const isMade = !known.has(name);
    known.add(name);
    return isMade;
  };
  const jobs = ["first", "second"].map((name) => ({ name, schedule: { everyMs: 1_000 } }));
  const look = scheduleKeeper({ schedule }, jobs, async () => {
    if (troubles.length > 0) throw troubles.shift();
    requeued++;
  });
  await expect(look()).rejects.toThrow("store");
  await expect(look()).rejects.toThrow("database");
  for (let i = 0; i < 3; i++) await look();
  expect(requeued).toBe(1);
  known.clear();
  await look();
  expect(requeued).toBe(2);
});

it("a job that does not run when it is due stands, and one under way does not", async () => {
  const { pool } = database;
  const standing = () => standingJobs(pool, async () => []);
  const late = (name: string) =>
    pool.query(
      `insert into offchain.job_run (name, last_started_at, next_run_at)
       values ($1, now() - interval '1 hour', now() - interval '10 minutes')`,
      [name],
    );
  for (const name of ["pull", "gone"]) await late(name);
  expect((await standing()).map(({ name }) => name)).toEqual(["pull", "gone"].toSorted());
  const moves = openJobMoves(pool, ["pull", "score"], log);
  const over = Promise.withResolvers<void>();
  const run = moves.during("pull", () => over.promise);
  await moves.record();
  expect(await standing()).toEqual([]);
  await pool.query("update offchain.job_move set moved_at = now() - interval '9 minutes'");
  expect(await standing()).toEqual([{ name: "pull", seconds: 540 }]);
  over.resolve();
  await run;
  await moves.record();
  expect(await standing()).toEqual([]);
  await pool.query("update offchain.job_move set moved_at = now() - interval '9 minutes'");
  // Nothing has moved since, so nothing is recorded.
  await moves.record();
  expect(await standing()).toHaveLength(1);
  await moves.stop();
});
