/** The queue, the same on both stores: nothing runs twice under one id, nothing is lost, nothing blocks it. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openClient } from "../../db/sql/connect.ts";
import { testLog } from "../../harness/log.ts";
import { LONG, NEVER } from "../../harness/patience.ts";
import { REDIS_BINARY, startRedis, type TestRedis } from "../../harness/redis.ts";
import { tcpProxy } from "../../harness/tcp-proxy.ts";
import { until } from "../../harness/until.ts";
import { HopelessJob, openQueues, type Queues } from "../../workers/operations/queue.ts";
import { testDatabase } from "../support/database.ts";
import { deepIt } from "../support/share.ts";
import { perTest } from "../support/started.ts";

for (const store of ["Postgres", "Redis"]) {
  describe.runIf(store !== "Redis" || REDIS_BINARY)(`the queue on ${store}`, () => {
    const database = perTest(testDatabase);
    let redis: TestRedis | undefined;
    let queues: Queues;
    const opened: Queues[] = [];
    let tests = 0;
    const open = async (
      prefix = "test",
      url = redis?.url ?? database.url,
      more: Partial<Parameters<typeof openQueues>[0]> = {},
    ) => {
      const where = redis ? { databaseUrl: database.url, redisUrl: url } : { databaseUrl: url };
      const queue = await openQueues({ ...where, prefix, log: testLog(), ...more });
      opened.push(queue);
      return queue;
    };

    beforeAll(async () => {
      if (store === "Redis") redis = await startRedis();
    });
    beforeEach(async () => {
      queues = await open(`test${tests++}`);
    });
    afterEach(() => Promise.all(opened.splice(0).map((queue) => queue.close())));
    afterAll(() => redis?.stop());

    it("runs what is added, once for each job id", async () => {
      const ran: unknown[] = [];
      const twice = [1, 2, 3].map((n) => ({ jobId: `score-${n}`, data: { n } }));
      await queues.add("score", twice);
      await queues.add("score", twice);
      queues.work("score", 2, async (data) => void ran.push(data));
      await until("three runs", () => ran.length >= 3);
      await queues.add("score", twice);
      await queues.add("score", [{ data: { n: "last" } }]);
      await until("the last run", () => ran.length >= 4);
      expect(ran).toHaveLength(4);
      expect(ran).toEqual(expect.arrayContaining([{ n: 1 }, { n: 2 }, { n: 3 }, { n: "last" }]));
    });

    it("refuses job ids the stores cannot hold", async () => {
      await expect(queues.add("score", [{ jobId: "12", data: {} }])).rejects.toThrow("cannot be a job id");
      await expect(queues.add("score", [{ jobId: "a:b", data: {} }])).rejects.toThrow("cannot be a job id");
    });

    it("tries a failing job again, and a poisoned one blocks nobody", async () => {
      const runs: string[] = [];
      queues.work("score", 1, async (data) => {
        const { kind } = data as { kind: string };
        runs.push(kind);
        if (kind === "poison") throw new HopelessJob("never");
        if (kind === "shaky" && runs.filter((run) => run === "shaky").length < 2) throw new Error("not yet");
      });
      await queues.add(
        "score",
        ["poison", "shaky", "good"].map((kind) => ({ data: { kind } })),
      );
      await until("the shaky job's second run", () => runs.filter((run) => run === "shaky").length === 2);
      expect(runs.filter((run) => run === "poison")).toHaveLength(1);
      expect(runs).toContain("good");
      await until("counts", async () => (await queues.counts())[0]?.failed === 1);
    });

    it("counts what waits, with the age of the oldest", async () => {
      await queues.add("score", [{ data: {} }, { data: {} }]);
      expect(await queues.counts()).toEqual([
        { name: "score", waiting: 2, active: 0, failed: 0, oldestSeconds: expect.any(Number) },
      ]);
      const running = Promise.withResolvers<void>();
      queues.work("score", 1, () => running.promise);
      await until("one active", async () => (await queues.counts())[0]?.active === 1);
      expect(await queues.counts()).toMatchObject([{ waiting: 1, active: 1 }]);
      running.resolve();
      await until("all done", async () => {
        const [score] = await queues.counts();
        return score?.waiting === 0 && score.active === 0 && score.oldestSeconds === null;
      });
    });

    it("has no mark in a new storage, and keeps it", async () => {
      expect(await queues.isMarked()).toBe(false);
      await queues.mark();
      expect(await (await open(`test${tests - 1}`)).isMarked()).toBe(true);
      expect(await queues.counts()).toEqual([]);
    });

    it("ends what has just begun, at any moment of its beginning", async () => {
      // More than the store connects at once.
      const names = Array.from({ length: 45 }, (_, i) => `job-${i}`);
      for (let statements = 0; statements < 4; statements++) {
        const young = await open(`young${tests}-${statements}`, undefined, { connectMs: 10 * LONG, names });
        for (const name of names) young.work(name, 1, async () => {});
        for (let done = 0; done < statements; done++) await database.pool.query("select 1");
        await opened.pop()!.close();
      }
    });

    it("keeps deployments with different prefixes apart", async () => {
      const other = await open("elsewhere");
      const seen: string[] = [];
      queues.work("score", 1, async () => void seen.push("here"));
      other.work("score", 1, async () => void seen.push("elsewhere"));
      await other.add("score", [{ jobId: "same-id", data: {} }]);
      await until("it ran", () => seen.length === 1);
      await queues.add("score", [{ jobId: "same-id", data: {} }]);
      await until("both ran", () => seen.length === 2);
      expect(seen).toEqual(["elsewhere", "here"]);
    });

    it("finishes what runs before it stops, and takes nothing new", async () => {
      const done: number[] = [];
      let begun = 0;
      const running = Promise.withResolvers<void>();
      const worker = queues.work("score", 1, async (data) => {
        begun++;
        await running.promise;
        done.push((data as { n: number }).n);
      });
      await queues.add("score", [{ data: { n: 1 } }, { data: { n: 2 } }]);
      await until("the first begins", () => begun === 1);
      const stopped = worker.stop(LONG);
      running.resolve();
      await stopped;
      expect(done).toEqual([1]);
      expect(await queues.counts()).toMatchObject([{ waiting: 1, active: 0 }]);
    });

    deepIt("stops in time when its store says nothing, and the next one takes over what ran", async () => {
      const there = new URL(redis?.url ?? database.url);
      const line = await tcpProxy({ host: there.hostname, port: Number(there.port) });
      const direct = there.href;
      there.port = String(line.port);
      const cut = await open(`test${tests}`, there.href);
      const next = await open(`test${tests}`, direct);
      const began: unknown[] = [];
      const held = Promise.withResolvers<void>();
      const worker = cut.work("score", 1, async (data) => {
        began.push(data);
        await held.promise;
      });
      await next.add("score", [{ jobId: "a", data: "held" }]);
      await until("it runs", () => began.length === 1);
      line.be({ kind: "silent" });
      // Neither what it asks nor what it says is heard, so it can end in no better order than this.
      await worker.stop(NEVER);
      next.work("score", 1, async (data) => void began.push(data));
      await until("another takes it over", () => began.length === 2);
      expect(began).toEqual(["held", "held"]);
      held.resolve();
      await line.close();
    });

    it("takes 1,000 jobs in one call and runs each once", async () => {
      const seen = new Map<number, number>();
      await queues.add(
        "score",
        Array.from({ length: 1_000 }, (_, n) => ({ jobId: `bulk-${n}`, data: { n } })),
      );
      queues.work("score", 20, async (data) => {
        const { n } = data as { n: number };
        seen.set(n, (seen.get(n) ?? 0) + 1);
      });
      await until("all of them", () => seen.size === 1_000);
      expect([...seen.values()].every((times) => times === 1)).toBe(true);
    });

    if (store === "Redis")
      it("says that its store is away, and waits for nobody to bring it back", async () => {
        await queues.add("score", [{ data: {} }]);
        redis!.crash();
        try {
          await expect(queues.add("score", [{ data: {} }])).rejects.toThrow();
          await expect(queues.counts()).rejects.toThrow();
        } finally {
          await redis!.restart();
        }
      });

    if (store === "Redis")
      it("closes while its connections wait for the next attempt to connect", async () => {
        queues.work("score", 1, async () => {});
        await queues.add("score", [{ data: {} }]);
        await until("the run", async () => (await queues.counts())[0]?.waiting === 0);
        redis!.crash();
        try {
          await expect(queues.counts()).rejects.toThrow();
          await queues.close();
          opened.splice(opened.indexOf(queues), 1);
        } finally {
          await redis!.restart();
        }
      });

    it("works on after its store was away", async () => {
      const ran: number[] = [];
      queues.work("score", 1, async (data) => void ran.push((data as { n: number }).n));
      await queues.add("score", [{ data: { n: 1 } }]);
      await until("the first run", () => ran.length === 1);
      if (redis) await redis.restart();
      else await cutConnections(database.url);
      await until("an add after it is back", async () => {
        await queues.add("score", [{ jobId: "after-the-cut", data: { n: 2 } }]);
        return true;
      });
      await until("the second run", () => ran.includes(2));
      expect(ran).toEqual([1, 2]);
    });
  });
}

/** Ends every other session of the database, as a restart of the server does. */
async function cutConnections(url: string): Promise<void> {
  const client = openClient({ connectionString: url });
  await client.connect();
  await client.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
  );
  await client.end();
}

describe("the queue on Postgres, opened while the database lets nobody in", () => {
  it("works after its return: for those who add, who ask and who work", async () => {
    const database = await testDatabase();
    const there = new URL(database.url);
    const line = await tcpProxy({ host: there.hostname, port: Number(there.port) });
    there.port = String(line.port);
    await line.cut();
    const queues = await openQueues({
      ...{ databaseUrl: there.href, prefix: "test", log: testLog() },
      ...{ names: ["score", "pull"], connectMs: 5 * NEVER },
    });
    const ran: unknown[] = [];
    queues.work("pull", 1, async (data) => void ran.push(data));
    await expect(queues.counts()).rejects.toThrow();
    await expect(queues.add("score", [{ data: {} }])).rejects.toThrow();
    // Connections are taken, and nothing is said on them.
    line.be({ kind: "silent" });
    await line.mend();
    line.be({ kind: "silent" });
    await expect(queues.counts()).rejects.toThrow();
    await line.mend();
    await until("it counts", async () => (await queues.counts()).length === 2);
    await until("it adds", async () => {
      await queues.add("score", [{ jobId: "early", data: {} }]);
      await queues.add("pull", [{ jobId: "late", data: "late" }]);
      return true;
    });
    await until("it works", () => ran.length === 1);
    expect(await until("the counts", () => queues.counts())).toMatchObject([
      { name: "score", waiting: 1 },
      { name: "pull" },
    ]);
    await queues.close();
    await line.close();
    await database.drop();
  });

  it("is refused at once where it will never be let in", async () => {
    const database = await testDatabase();
    const nowhere = new URL(database.url);
    nowhere.pathname = "/there_is_none";
    await expect(openQueues({ databaseUrl: nowhere.href, prefix: "test", log: testLog() })).rejects.toThrow(
      "does not exist",
    );
    await database.drop();
  });
});
