/** From index changes to jobs: every event once, every reorganisation undone, nothing undone by mistake. */
import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import type pg from "pg";
import { beforeEach, describe, expect, it } from "vitest";
import { openClient } from "../../db/sql/connect.ts";
import { notifications } from "../../db/sql/notifications.ts";
import { testLog } from "../../harness/log.ts";
import { agentRow, checkpoint, plantCheckpoint, plantOnchain, plantRows } from "../../harness/onchain.ts";
import { until } from "../../harness/until.ts";
import { dispatch, runDispatcher } from "../../workers/events/dispatcher.ts";
import type { NewJob } from "../../workers/operations/queue.ts";
import { testDatabase } from "../support/database.ts";
import { forAllLater } from "../support/for-all.ts";
import { endedPerTest, perTest } from "../support/started.ts";

const database = perTest(testDatabase);
const ended = endedPerTest();
let db: pg.Pool;
beforeEach(async () => {
  db = database.pool;
});

/** A queue that remembers, and takes each job id once. */
function recorder() {
  const jobs = new Map<string, { queue: string; data: { tokenIds?: number[]; cause?: string } }>();
  return {
    jobs,
    /** What the score jobs are about: token → causes. */
    scored() {
      const causes = new Map<number, string[]>();
      for (const { queue, data } of jobs.values()) {
        if (queue !== "score") continue;
        for (const id of data.tokenIds!) causes.set(id, [...(causes.get(id) ?? []), data.cause!]);
      }
      return causes;
    },
    queue: {
      async add(queue: string, added: NewJob[]) {
        for (const { jobId, data } of added) if (!jobs.has(jobId!)) jobs.set(jobId!, { queue, data: data as never });
      },
    },
  };
}

const context = (over = {}) => ({
  ...{ db, queue: recorder().queue, clock: () => new Date("2026-01-02T00:00:00Z"), log: testLog(), fault: () => {} },
  config: {
    ...{ attestationSchemas: ["0x" as const], eventRetentionMs: 86_400_000 },
    service: { publicUrl: "https://agents.test" },
  },
  ...over,
});

let events = 0;
/** One row of `index_changes`; `branch` tells the same event on another branch of the chain. */
const event = (over: Record<string, unknown> = {}) => {
  const block = (over.block as number) ?? 950;
  return {
    ...{ id: String(++events).padStart(8, "0"), kind: "agent.registered", tokenId: null, wallet: null, agentId: null },
    ...{ block, blockHash: `0xb${block}`, blockAt: 1_700_000_000 + block, txHash: `0xt${events}` },
    ...over,
  };
};
const plantEvents = (...rows: ReturnType<typeof event>[]) => plantRows(db, "indexChanges", rows);
const states = async () => {
  const rows = await database.rows("select state, count(*)::int as n from offchain.dispatch group by 1 order by 1");
  return Object.fromEntries(rows.map(({ state, n }) => [state, n]));
};
/** A run, once the indexer has come so far. @returns how many rows are in which state */
const dispatchAt = async (block: number, finalized = 900, over = {}) => {
  await plantCheckpoint(db, { block, finalized });
  await dispatch(context(over));
  return states();
};
const remove = (ids: string[]) => db.query("delete from onchain.index_changes where id = any($1)", [ids]);
describe("claims", () => {
  it("waits for the first index without complaint", async () => {
    await dispatch(context());
    await plantOnchain(db);
    await db.query("update onchain.index_state set schema = null");
    await dispatch(context());
    expect(await states()).toEqual({});
  });

  it("every event becomes work once, token 0 included", async () => {
    await plantOnchain(db);
    await plantEvents(event({ tokenId: 0 }), event({ tokenId: 1, kind: "agent.verified" }));
    const { queue, jobs, scored } = recorder();
    await dispatch(context({ queue }));
    expect(Object.fromEntries(scored())).toEqual({ 0: ["agent.registered"], 1: ["agent.verified"] });
    expect(new Set([...jobs.values()].map((job) => job.queue))).toEqual(new Set(["score", "directory-own"]));
    expect([...jobs.keys()].every((id) => !/^\d+$|:/.test(id))).toBe(true);
    const before = jobs.size;
    await dispatch(context({ queue }));
    expect(jobs.size).toBe(before);
    await plantEvents(event({ tokenId: 1, block: 960 }));
    await dispatch(context({ queue }));
    expect(scored().get(1)).toEqual(["agent.verified", "agent.registered"]);
  });

  it("a token is scored once for all events of its transaction, with the strongest as the cause", async () => {
    await plantOnchain(db);
    await plantEvents(
      ...["transferred", "points_awarded", "registered"].map((name) => event({ tokenId: 7, kind: `agent.${name}` })),
      event({ tokenId: 8, kind: "agent.transferred" }),
    );
    const { queue, scored } = recorder();
    await dispatch(context({ queue }));
    expect(Object.fromEntries(scored())).toEqual({ 7: ["agent.registered"], 8: ["agent.transferred"] });
  });

  it("a backlog becomes a few large jobs, not one for each event", async () => {
    await plantOnchain(db, { block: 1000, finalized: 900 });
    await db.query(`
      insert into onchain.index_changes (id, kind, token_id, block, block_hash, block_at, tx_hash)
      select lpad(n::text, 12, '0'), 'agent.registered', n, n / 10, '0xb' || n / 10, 1700000000, '0xt' || n
      from generate_series(0, 4999) n`);
    const { queue, jobs, scored } = recorder();
    await dispatch(context({ queue }));
    expect(scored().size).toBe(5000);
    const byQueue = Map.groupBy(jobs.values(), ({ queue }) => queue);
    expect(byQueue.get("score")).toHaveLength(5);
    for (const added of byQueue.values()) expect(added.length).toBeLessThanOrEqual(5);
    await dispatch(context({ queue }));
    expect(await states()).toEqual({ final: 5000 });
    const settled = await database.rows("select settled_block::int as block from offchain.dispatcher_state");
    expect(settled).toEqual([{ block: 900 }]);
  });

  it("a wallet's event concerns every token it owns or has verified, and none that only names it", async () => {
    await plantOnchain(db);
    const wallet = `0x${"c".repeat(40)}`;
    await plantRows(db, "agent", [
      agentRow(1, { owner: wallet }),
      agentRow(2, { agentAddress: wallet, verifiedWallet: wallet }),
      agentRow(3),
      agentRow(5, { agentAddress: wallet }),
      agentRow(4, { owner: wallet, agentAddress: wallet }),
    ]);
    const gone = event({ kind: "attestation.revoked", wallet: `0x${"d".repeat(40)}` });
    await plantEvents(event({ kind: "attestation.made", wallet }), gone);
    const { queue, scored, jobs } = recorder();
    await dispatch(context({ queue }));
    expect([...scored().keys()].sort()).toEqual([1, 2, 4]);
    expect(jobs.size).toBe(1);
    expect(await states()).toEqual({ queued: 2 });
  });

  it("kinds nobody subscribes to are taken and lead to nothing", async () => {
    await plantOnchain(db);
    await plantEvents(event({ kind: "erc8004.registered", agentId: 2n ** 200n }));
    const { queue, jobs } = recorder();
    await dispatch(context({ queue }));
    expect(jobs.size).toBe(0);
    expect(await states()).toEqual({ queued: 1 });
  });

  it("two dispatchers at once make one job of each", async () => {
    await plantOnchain(db);
    await plantEvents(...Array.from({ length: 40 }, (_, tokenId) => event({ tokenId })));
    const { queue, scored } = recorder();
    await Promise.all(Array.from({ length: 6 }, () => dispatch(context({ queue }))));
    expect(scored().size).toBe(40);
    expect([...scored().values()].every((causes) => causes.length === 1)).toBe(true);
  });
});

describe("crashes", () => {
  it("between commit and queue: the rows are still pending and queued next time", async () => {
    await plantOnchain(db);
    await plantEvents(event({ tokenId: 5 }));
    const dead = { ...recorder().queue, add: async () => Promise.reject(new Error("the queue is away")) };
    await expect(dispatch(context({ queue: dead }))).rejects.toThrow("the queue is away");
    expect(await states()).toEqual({ pending: 1 });
    const { queue, scored } = recorder();
    await dispatch(context({ queue }));
    expect(scored().get(5)).toEqual(["agent.registered"]);
  });

  it.each(["dispatcher.claimed", "dispatcher.committed", "dispatcher.queued"])(
    "at %s: nothing is lost, and no job runs under two ids",
    async (point) => {
      await plantOnchain(db);
      await plantEvents(event({ tokenId: 5 }), event({ tokenId: 6, kind: "agent.verified" }));
      const { queue, scored } = recorder();
      let armed = true;
      const fault = (reached: string) => {
        if (reached !== point || !armed) return;
        armed = false;
        throw new Error("killed");
      };
      await expect(dispatch(context({ queue, fault }))).rejects.toThrow("killed");
      await dispatch(context({ queue, fault }));
      expect(Object.fromEntries(scored())).toEqual({ 5: ["agent.registered"], 6: ["agent.verified"] });
      expect(await states()).toEqual({ queued: 2 });
    },
  );
});

describe("retractions", () => {
  const plantScored = async () => {
    await plantOnchain(db, { block: 1000, finalized: 900 });
    const row = event({ tokenId: 5, block: 990 });
    await plantEvents(row);
    await plantRows(db, "agent", [agentRow(5, { updatedBlock: 990 })]);
    await db.query("insert into offchain.referral_code (token_id, code) values (5, 'agent-5-abcd')");
    await dispatch(context());
    return row;
  };

  it.each([
    ["before", 1000],
    ["after", 900],
  ])("a row first missed %s the index rolled back is not retracted", async (_when, block) => {
    const row = await plantScored();
    await remove([row.id]);
    await dispatchAt(block);
    await dispatch(context());
    expect(await states()).toEqual({ queued: 1 });
    // The indexer recovers: back to finalized, forward again, and the row returns with its block.
    await dispatchAt(900);
    expect(await dispatchAt(985)).toEqual({ queued: 1 });
    await plantEvents(row);
    expect(await dispatchAt(1002)).toEqual({ queued: 1 });
    const missing = await database.rows("select missing_checkpoint from offchain.dispatch");
    expect(missing).toEqual([{ missing_checkpoint: null }]);
  });

  it("a row that is gone is retracted after a later block, with what it caused", async () => {
    const row = await plantScored();
    await remove([row.id]);
    await db.query("delete from onchain.agent where token_id = 5");
    await dispatch(context());
    expect(await states()).toEqual({ queued: 1 });
    expect(await dispatchAt(1001)).toEqual({ retracted: 1 });
    for (const table of ["referral_code", "cred"])
      expect(await database.rows(`select from offchain.${table}`)).toEqual([]);
  });

  it("an event that moves to another block is retracted there and claimed here", async () => {
    const row = await plantScored();
    await remove([row.id]);
    await plantEvents({ ...row, id: `${row.id}b`, blockHash: "0xother", block: 991 });
    const { queue, scored } = recorder();
    await dispatch(context({ queue }));
    expect(scored().get(5)).toEqual(["agent.registered"]);
    expect(await dispatchAt(1001, 900, { queue })).toEqual({ queued: 1, retracted: 1 });
    // The agent is there: it has its code, made from its own name and wallet.
    const [{ code }] = await database.rows("select code from offchain.referral_code");
    expect(code).toMatch(/^agent-5-[a-z0-9]{4}$/);
    expect(code).not.toBe("agent-5-abcd");
  });

  it("an event whose old branch wins after all is claimed again", async () => {
    const row = await plantScored();
    await remove([row.id]);
    await dispatch(context());
    expect(await dispatchAt(1001)).toEqual({ retracted: 1 });
    await plantEvents(row);
    const { queue, scored } = recorder();
    await dispatch(context({ queue }));
    expect(await states()).toEqual({ queued: 1 });
    expect(scored().get(5)).toEqual(["agent.registered"]);
  });

  it("what is final stays, and what is missing does not become final", async () => {
    const row = await plantScored();
    await remove([row.id]);
    await dispatch(context());
    expect(await dispatchAt(1000, 995)).toEqual({ queued: 1 });
    await plantEvents(row);
    await dispatch(context());
    expect(await states()).toEqual({ final: 1 });
    await remove([row.id]);
    expect(await dispatchAt(1010, 1000)).toEqual({ final: 1 });
  });

  it("another index is compared with everything: what it lacks is retracted, what it adds is claimed", async () => {
    await plantOnchain(db, { block: 1000, finalized: 990 });
    const kept = event({ tokenId: 1, block: 500 });
    const wrong = event({ tokenId: 2, block: 600 });
    await plantEvents(kept, wrong);
    await dispatch(context());
    await dispatch(context());
    expect(await states()).toEqual({ final: 2 });
    // The chain was reorganised below finality; the index is built anew and served under another name.
    await remove([wrong.id]);
    await plantEvents(event({ tokenId: 3, block: 400 }));
    await db.query("update onchain.index_state set schema = 'index_test_1', generation = 1");
    const { queue, scored } = recorder();
    await dispatch(context({ queue }));
    expect([...scored().keys()]).toEqual([3]);
    expect(await states()).toMatchObject({ retracted: 1 });
    const retracted = await database.rows(
      "select token_id::int as id from offchain.dispatch where state = 'retracted'",
    );
    expect(retracted).toEqual([{ id: 2 }]);
  });

  it("whatever the indexer does: no event of the chain is retracted, and in the end exactly those stand", async () => {
    type Step = { do: string; of?: number };
    const kind = (weight: number, name: string, of: fc.Arbitrary<number> = fc.constant(0)) => ({
      weight,
      arbitrary: of.map((number): Step => ({ do: name, of: number })),
    });
    const step: fc.Arbitrary<Step> = fc.oneof(
      kind(6, "mine", fc.integer({ min: 0, max: 3 })),
      kind(2, "reorg", fc.integer({ min: 1, max: 5 })),
      ...[kind(1, "vanish"), kind(2, "rollback"), kind(6, "index"), kind(1, "finalize"), kind(8, "dispatch")],
    );
    await plantOnchain(db, { block: 0, finalized: 0 });
    await forAllLater([fc.array(step, { minLength: 10, maxLength: 60 })], { numRuns: 25 }, async (steps) => {
      await db.query("truncate onchain.index_changes, offchain.dispatch, offchain.dispatcher_state");
      const simulated = simulateIndexer();
      await simulated.checkpoint();
      for (const { do: name, of } of steps) {
        if (name !== "dispatch") await simulated[name as "mine"](of!);
        else {
          await dispatch(context());
          const rows = await database.rows("select key from offchain.dispatch where state = 'retracted'");
          const canonical = simulated.keys();
          expect(rows.filter(({ key }) => canonical.has(key))).toEqual([]);
        }
      }
      // A row counts as gone once the chain has passed its block: it must grow longer than it ever was.
      simulated.outgrow();
      while (await simulated.index()) {}
      await dispatch(context());
      simulated.mine(0);
      await simulated.index();
      await dispatch(context());
      const stand = await database.rows("select key from offchain.dispatch where state <> 'retracted'");
      expect(new Set(stand.map(({ key }) => key))).toEqual(simulated.keys());
    });
  });

  /** A chain and its indexer: rows and checkpoint of a block come together, recovery goes back to the finalized block. */
  function simulateIndexer() {
    type Row = ReturnType<typeof event>;
    let fork = 0;
    let chain: { hash: string; rows: Row[] }[] = [{ hash: "0xgenesis", rows: [] }];
    let longest = 1;
    let indexed = 0;
    let finalized = 0;
    const checkpoint = () => plantCheckpoint(db, { block: indexed, finalized });
    const forget = (above: number) => db.query("delete from onchain.index_changes where block > $1", [above]);
    return {
      checkpoint,
      keys: () => new Set(chain.flatMap(({ hash, rows }) => rows.map(({ id }) => `${hash}-${id}`))),
      mine(count: number) {
        const block = chain.length;
        const hash = `0x${block}f${fork}`;
        const rows = Array.from({ length: count }, (_, n) =>
          event({ id: `${String(block).padStart(6, "0")}-${n}`, tokenId: n, block, blockHash: hash }),
        );
        chain.push({ hash, rows });
        longest = Math.max(longest, chain.length);
      },
      /** Blocks without events, until the chain is longer than any branch was. */
      outgrow() {
        for (const end = longest + 2; chain.length < end; ) this.mine(0);
      },
      /** The chain forks at most as deep as it is not final; the indexer follows when it next indexes. */
      async reorg(depth: number) {
        const ancestor = Math.max(finalized, chain.length - 1 - depth);
        fork++;
        chain = chain.slice(0, ancestor + 1);
        if (indexed > ancestor) {
          await forget(ancestor);
          indexed = ancestor;
          await checkpoint();
        }
      },
      /** The first half of a crash recovery: rows are gone, the checkpoint does not say so yet. */
      async vanish() {
        await forget(finalized);
        indexed = finalized;
      },
      async rollback() {
        await forget(finalized);
        indexed = finalized;
        await checkpoint();
      },
      async index(): Promise<boolean> {
        if (indexed >= chain.length - 1) return false;
        indexed++;
        await plantRows(db, "indexChanges", chain[indexed]!.rows);
        await checkpoint();
        return true;
      },
      async finalize() {
        finalized = Math.max(finalized, indexed - 3);
        await checkpoint();
      },
    };
  }
});

describe("waking", () => {
  /** A dispatcher that runs on a planted index until the test has ended, and what it queues. */
  async function woken({ timerMs }: { timerMs: number }) {
    await plantOnchain(db);
    const { queue, scored } = recorder();
    return { scored, dispatcher: ended(runDispatcher(context({ queue }), { timerMs })) };
  }

  it("works as soon as a block is announced, also over a new connection", async () => {
    const { dispatcher, scored } = await woken({ timerMs: 60_000 });
    await until("it listens", async () => (await listeners()) === 1);
    await plantEvents(event({ tokenId: 1 }));
    await plantCheckpoint(db, { block: 1001, finalized: 900 });
    await until("the first event", () => scored().has(1));
    await db.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'notifications' and datname = current_database()`,
    );
    await plantEvents(event({ tokenId: 2 }));
    await until("the second event, found on reconnection", () => scored().has(2));
    await plantEvents(event({ tokenId: 3 }));
    await plantCheckpoint(db, { block: 1002, finalized: 900 });
    await until("the third event", () => scored().has(3));
    await dispatcher.stop();
    await until("no connection is left behind", async () => (await listeners()) === 0);
  });

  const listeners = async () => {
    const sql = `select count(*)::int as n from pg_stat_activity
      where application_name = 'notifications' and datname = current_database() and query ilike 'listen%'`;
    return (await database.rows(sql))[0].n;
  };

  it("asks nothing for a block without changes once all is final, and follows each block before", async () => {
    let statements = 0;
    db.on("acquire", () => statements++);
    const node = ended(openClient({ connectionString: database.url }));
    await node.connect();
    const { scored } = await woken({ timerMs: 3_600_000 });
    /** @returns how many statements followed three blocks, when all of their announcements have arrived */
    const blocks = async () => {
      const arrived = Promise.withResolvers<string>();
      const unsubscribe = notifications(db).on("probe", (payload) => payload && arrived.resolve(payload));
      const before = statements;
      for (let i = 0; i < 3; i++) await node.query("select pg_notify('onchain', 'index_test_0 1001 1700000000 900')");
      await until("all have arrived", async () => {
        await node.query("select pg_notify('probe', 'all')");
        return Promise.race([arrived.promise, setImmediate(null)]);
      });
      await setImmediate();
      unsubscribe();
      return statements - before;
    };
    /** Over several rounds: one that is under way sends nothing for a while. */
    const asksNothing = async () => {
      let all = 0;
      for (let i = 0; i < 5; i++) all += await blocks();
      return all === 0;
    };
    await until("blocks are not followed", asksNothing);
    await plantEvents(event({ tokenId: 1 }));
    await node.query("select pg_notify('index_changes', '')");
    await until("the event", () => scored().has(1));
    await until("blocks are followed", async () => (await blocks()) > 0);
    await plantCheckpoint(db, { block: 1100, finalized: 1000 });
    await until("it is final", async () => (await states()).final === 1);
    await until("blocks are not followed", asksNothing);
  });

  it("sees within seconds that all is final, in blocks without changes, which nobody announces", async () => {
    const { scored } = await woken({ timerMs: 3_600_000 });
    await plantEvents(event({ tokenId: 1 }));
    await db.query("select pg_notify('index_changes', '')");
    await until("the event", () => scored().has(1));
    const at = checkpoint(1_700_000_000, 1100);
    await db.query("update onchain._ponder_checkpoint set latest_checkpoint = $1, finalized_checkpoint = $1", [at]);
    await until("it is final", async () => (await states()).final === 1);
  });

  it("finds without any announcement what a lost one would have told", async () => {
    const { scored } = await woken({ timerMs: 50 });
    await plantEvents(event({ tokenId: 1 }));
    await until("the event", () => scored().has(1));
  });

  it("what is not final is queued again when the queue has lost its jobs", async () => {
    await plantOnchain(db);
    await plantEvents(event({ tokenId: 1 }), event({ tokenId: 2, block: 800 }));
    await dispatch(context());
    await dispatch(context());
    expect(await states()).toEqual({ final: 1, queued: 1 });
    const { queue, scored } = recorder();
    const dispatcher = ended(runDispatcher(context({ queue }), { timerMs: 60_000 }));
    await dispatcher.requeue();
    await until("it is queued again", () => scored().has(1));
    expect(scored().has(2)).toBe(false);
  });
});
