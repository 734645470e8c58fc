/** The partitions of the event log: an event is there once, and readers see what they would see of one table. */
import { beforeEach, describe, expect, it } from "vitest";
import { EVENT_NAMES } from "../../core/events/events.ts";
import { appendEvents, finalizeSources, type NewEvent, retractSources } from "../../db/events/append-events.ts";
import { dropHiddenEvents, makeEventPartitions } from "../../db/events/event-retention.ts";
import { sequenceEvents } from "../../db/events/event-sequence.ts";
import { eventLog, eventsAfter, eventsById } from "../../db/events/events.ts";
import { transaction } from "../../db/sql/transaction.ts";
import { retainEvents } from "../../workers/events/event-retention.ts";
import { type TestDatabase, testDatabase } from "../support/database.ts";
import { formerDatabase, partsOf, patiently, sequenced } from "../support/time-partitions.ts";

const DAY_MS = 86_400_000;
const START = Date.parse("2026-01-10T00:00:00Z");
const day = (n: number) => new Date(START + Math.round(n * DAY_MS));

let db: TestDatabase;
beforeEach(async () => {
  db = await testDatabase({ indexed: true });
  return () => db.drop();
});

let facts = 0;
const note = (at: Date, over: Partial<NewEvent> = {}) =>
  ({
    type: "agent.updated",
    data: { changed: ["social"], storage: "offchain" },
    fact: `${++facts} ${at.toISOString()}`,
    tokenId: 1,
    at,
    ...over,
  }) as NewEvent;
/** Of the chain, and not final. */
const ofChain = (at: Date, key: string, over: Partial<NewEvent> = {}) => {
  const holders = { agentAddress: `0x${"a".repeat(40)}`, owner: `0x${"b".repeat(40)}`, formerOwner: null } as const;
  const chain = { key, block: 950, txHash: `0x${"c".repeat(64)}`, final: false, ...holders } as const;
  return note(at, { fact: `${key} 0 1`, chain, ...over });
};
const append = (...events: NewEvent[]) => appendEvents(db.pool, events);
const sequence = () => sequenced(db);
/** What the job does at a time of the database's clock. @param days of retention */
const retain = (now: Date, days: number) => retainEvents(db.pool, { now, retentionMs: days * DAY_MS });
const read = async (part: { after?: number; final?: boolean } = {}) => {
  const { head } = await eventLog(db.pool);
  return (await eventsAfter(db.pool, { after: 0, head, limit: 10_000, ...part })).events;
};
const count = async (of: string) => (await db.rows(`select count(*)::int4 as n from offchain.${of}`))[0].n as number;
const parts = () => partsOf(db, "event");

describe("the same fact", () => {
  it("is one event of every type, also where its partition was made in between", async () => {
    const recorded = EVENT_NAMES.filter((type) => type !== "event.retracted" && type !== "cred.changed");
    expect(recorded.length).toBeGreaterThan(5);
    const all = recorded.flatMap((type, n) => [
      note(day(0.5), { type } as Partial<NewEvent>),
      ofChain(day(1.999), `0xblock-${n}`, { type } as Partial<NewEvent>),
    ]);
    await append(...all, ...all);
    expect(await count("event_default")).toBe(all.length);
    expect(await makeEventPartitions(db.pool, { now: day(0.6), retentionMs: DAY_MS })).toBe(2);
    expect(await makeEventPartitions(db.pool, { now: day(0.6), retentionMs: DAY_MS })).toBe(0);
    await append(...all);
    expect(await parts()).toEqual(["20260110", "20260111", "default"]);
    expect([await count("event"), await count("event_default")]).toEqual([all.length, 0]);
  });

  it("has the same time: an event whose fact does not determine it is refused", async () => {
    const times = "does not determine its time";
    await expect(append(note(day(0), { fact: "1 x ada" }))).rejects.toThrow(times);
    await expect(append(note(day(0)), note(day(0), { fact: `1 x ada ${day(1).toISOString()}` }))).rejects.toThrow(
      times,
    );
    await expect(append(ofChain(day(0), "0xblock-1", { fact: "1 0xblock-1" }))).rejects.toThrow(times);
    expect(await count("event")).toBe(0);
  });

  it("is retracted once, and final once, in whichever partition it is", async () => {
    await makeEventPartitions(db.pool, { now: day(0), retentionMs: DAY_MS });
    await append(...[0, 1, 5].flatMap((n) => [ofChain(day(n), `0xlost-${n}`), ofChain(day(n), `0xkept-${n}`)]));
    await sequence();
    const keys = (name: string) => [0, 1, 5].map((n) => `0x${name}-${n}`);
    for (let twice = 0; twice < 2; twice++) {
      await transaction(db.pool, (tx) => retractSources(tx, keys("lost")));
      await transaction(db.pool, (tx) => finalizeSources(tx, keys("kept")));
      await sequence();
    }
    const told = (await read()).map(({ type }) => type);
    expect(told.filter((type) => type === "event.retracted")).toHaveLength(3);
    expect(told).toHaveLength(9);
    expect((await read({ final: true })).map(({ at }) => at)).toEqual([day(0), day(1), day(5)]);
  });
});

/** What the log was as one table: events go from its beginning, up to the first young one. */
function modelOf() {
  const events: { position: number; at: Date; fact: string }[] = [];
  let keptAfter = 0;
  return {
    events,
    retain(before: Date) {
      const young = events.findIndex(({ at }) => at >= before);
      const gone = events.splice(0, young < 0 ? events.length : young);
      keptAfter = gone.at(-1)?.position ?? keptAfter;
      return gone.length;
    },
    keptAfter: () => keptAfter,
  };
}

describe("retention", () => {
  it("leaves readers what a log of one table would, however times and places are mixed", async () => {
    const model = modelOf();
    let random = 7;
    const next = (below: number) => {
      random = (random * 48_271) % 2_147_483_647;
      return random % below;
    };
    for (let n = 0; n < 14; n++) {
      await retain(day(n), 3);
      model.retain(day(n - 3));
      // Most are of now, some of days before, a few of long ago and of a time to come; some wait for the block to be final.
      const fresh = Array.from({ length: 12 }, () => {
        const at = day(n + (next(4) > 0 ? next(100) / 100 : next(9) > 0 ? -next(5) : next(2) > 0 ? -400 : 3));
        return next(3) === 0 ? ofChain(at, `0xblock-${++facts}`) : note(at);
      });
      await append(...fresh);
      const { head } = await eventLog(db.pool);
      await sequence();
      const keys = fresh.flatMap(({ chain }) => (chain && next(2) === 0 ? [chain.key] : []));
      await transaction(db.pool, (tx) => finalizeSources(tx, keys));
      model.events.push(...fresh.map(({ at, fact }, i) => ({ position: head + i + 1, at, fact })));
      await sequence();
      expect((await eventLog(db.pool)).keptAfter).toBe(model.keptAfter());
      const log = await read();
      expect(log.map(({ position, at }) => ({ position, at }))).toEqual(
        model.events.map(({ position, at }) => ({ position, at })),
      );
      const final = new Set((await read({ final: true })).map(({ id }) => id));
      for (const { id, final: is } of log) expect(final.has(id)).toBe(is);
      expect(final.size).toBe(log.filter(({ final }) => final).length);
      const { rows } = await db.pool.query("select id from offchain.event");
      const byId = await eventsById(
        db.pool,
        rows.map(({ id }) => id),
      );
      expect(byId.size).toBe(model.events.length);
    }
    // Days went as they were, and nothing of before is left where no partition was.
    expect(await parts()).not.toContain("20260110");
    expect(
      await count("event_default where at < '2025-12-01' and position <= (select kept_after from offchain.event_log)"),
    ).toBe(0);
    // All of it is old in the end, but what is to come.
    await retain(day(40), 3);
    expect(await read()).toEqual([]);
    expect(await parts()).toEqual(["20260219", "20260220", "default"]);
    expect([await count("event"), (await eventLog(db.pool)).keptAfter]).toEqual([0, model.events.at(-1)!.position]);
  });

  it("keeps an old event behind a young one, one without a place, and its partition with them", async () => {
    for (const n of [0, 1]) await makeEventPartitions(db.pool, { now: day(n), retentionMs: DAY_MS });
    await append(note(day(0)), note(day(9)), note(day(0.5)), ofChain(day(1), "0xblock-1"));
    await sequence();
    await append(note(day(1.5)));
    expect(await retain(day(9), 2)).toBe(1);
    expect((await read()).map(({ at }) => at)).toEqual([day(9), day(0.5), day(1)]);
    expect(await parts()).toEqual(["20260110", "20260111", "20260119", "20260120", "default"]);
    await sequence();
    expect(await retain(day(20), 2)).toBe(4);
    expect([await read(), await count("event")]).toEqual([[], 0]);
  });

  it("takes back nothing that can no longer be read, and tells final readers of none", async () => {
    await makeEventPartitions(db.pool, { now: day(0), retentionMs: DAY_MS });
    await append(ofChain(day(0.1), "0xlost"), ofChain(day(0.2), "0xkept"), note(day(0.9)));
    await sequence();
    const { head } = await eventLog(db.pool);
    expect(await retain(day(1.5), 1)).toBe(2);
    // The rows are there until the day is dropped.
    expect(await count("event_20260110")).toBe(3);
    await transaction(db.pool, (tx) => retractSources(tx, ["0xlost"]));
    await transaction(db.pool, (tx) => finalizeSources(tx, ["0xkept"]));
    await sequence();
    expect((await read()).map(({ at }) => at)).toEqual([day(0.9)]);
    expect((await read({ final: true, after: head })).map(({ at }) => at)).toEqual([]);
    expect(await count("event where type = 'event.retracted'")).toBe(0);
    await retain(day(2.5), 1);
    expect(await parts()).toEqual(["20260111", "20260112", "20260113", "default"]);
  });

  it("of many days has months as partitions, and days again when it is shorter", async () => {
    await retain(day(0), 90);
    expect(await parts()).toEqual(["20260101", "20260201", "default"]);
    await retain(day(30), 7);
    await retain(day(50), 7);
    await append(note(day(50.5)), note(day(51.5)));
    expect([await count("event_default"), (await parts()).includes("20260301")]).toEqual([0, true]);
  });
});

it("partitions are made and dropped beside writers and readers, who lose nothing", async () => {
  const written: NewEvent[] = [];
  const write = async (n: number) => {
    // Today's, before and after the partition of the day is made, and one of the days that are dropped.
    const fresh = [day(10 + n / 20), day(10 + n / 20), day(n / 20)].map((at) => note(at));
    await transaction(db.pool, async (tx) => {
      for (const event of fresh) await appendEvents(tx, [event]);
    });
    written.push(...fresh);
  };
  const work = Array.from({ length: 80 }, (_, n) =>
    n % 8 === 3
      ? patiently(() => makeEventPartitions(db.pool, { now: day(10 + n / 20), retentionMs: DAY_MS }))
      : n % 8 === 5
        ? patiently(() => retain(day(10 + n / 20), 2))
        : n % 8 === 6
          ? transaction(db.pool, (tx) => sequenceEvents(tx, new Date(0)))
          : n % 2 === 0
            ? write(n)
            : read(),
  );
  const failures = (await Promise.allSettled(work)).filter((outcome) => outcome.status === "rejected");
  expect(failures).toEqual([]);
  await sequence();
  await retain(day(14), 6);
  const { rows } = await db.pool.query(
    "select at, count(*)::int4 as n from offchain.event where position > (select kept_after from offchain.event_log) group by at",
  );
  const kept = new Map(rows.map(({ at, n }) => [at.getTime(), n]));
  const young = written.filter(({ at }) => at >= day(12));
  for (const { at } of young) expect(kept.get(at.getTime())).toBe(2);
  const places = await db.pool.query("select position from offchain.event group by 1 having count(*) > 1");
  expect(places.rows).toEqual([]);
  // Twice as long as the last partition: those that were old and had no place meanwhile go now.
  await retain(day(30), 1);
  expect(await count("event")).toBe(0);
});

it("a partition is not dropped while a writer may add to it", async () => {
  await makeEventPartitions(db.pool, { now: day(0), retentionMs: DAY_MS });
  const writer = await db.pool.connect();
  await writer.query("begin");
  await appendEvents(writer, [note(day(0.5))]);
  const dropping = dropHiddenEvents(db.pool, { before: day(3) });
  const waits = `select from pg_locks where not granted and relation = 'offchain.event'::regclass
    and database = (select oid from pg_database where datname = current_database())`;
  await expect.poll(async () => (await db.pool.query(waits)).rowCount).toBe(1);
  await writer.query("commit");
  writer.release();
  // The empty day after it is gone; the event has no place yet.
  expect(await dropping).toBe(1);
  expect(await parts()).toEqual(["20260110", "default"]);
});

it("are made of the table of a former version, whose rows stay where they are and are the same events", async () => {
  const indexed = db;
  const former = await formerDatabase();
  db = former;
  try {
    const events = [note(day(-20)), note(day(0.5)), note(day(0.7)), note(day(1.5))];
    for (const [i, { type, fact, at }] of events.entries())
      await db.pool.query(
        `insert into offchain.event (id, position, final_position, type, token_id, data, at, final)
         values ('evt_' || left(encode(sha256(convert_to($1, 'UTF8')), 'hex'), 24), $2, $2, $3, 1, '{}', $4, true)`,
        [`${type} ${fact}`, i < 3 ? i + 1 : null, type, at],
      );
    const rows = "select * from offchain.event order by append_id";
    const before = await db.rows(rows);
    const node = (name: string) => db.pool.query("select pg_relation_filenode($1::regclass) as node", [name]);
    const { rows: nodes } = await node("offchain.event");
    await former.upgrade();
    await former.upgrade();
    await db.pool.query("update offchain.event_log set head = 3");
    expect(await db.rows(rows)).toEqual(before);
    expect((await node("offchain.event_kept")).rows).toEqual(nodes);
    await db.pool.query(
      "create schema onchain; create table onchain.agent (token_id int8, agent_address text, owner text, minted_at int8)",
    );
    await append(...events, note(day(1.9)));
    const { rows: after } = await db.pool.query(rows);
    expect(after.slice(0, 4)).toEqual(before);
    expect(after.slice(4).map(({ append_id }) => Number(append_id))).toEqual([expect.any(Number)]);
    expect(Number(after[4].append_id)).toBeGreaterThan(4);
    await sequence();
    expect((await read()).map(({ position }) => position)).toEqual([1, 2, 3, 4, 5]);
    // Its rows go one by one, it goes as a whole when the last of them is old.
    expect(await retain(day(8), 7.4)).toBe(2);
    expect([await count("event_kept"), (await parts()).includes("kept")]).toEqual([3, true]);
    expect(await retain(day(10), 7)).toBe(3);
    expect((await parts()).includes("kept")).toBe(false);
  } finally {
    await db.drop();
    db = indexed;
  }
});
