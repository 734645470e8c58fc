/** /api/v2/events: what its streams and pages carry, filtered, resumed, in any number of processes, and what they say of what is missing. */
import { connect, type Socket } from "node:net";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { createApi } from "../../api/app.ts";
import type { EventView } from "../../core/views/webhooks.ts";
import { appendEvents, finalizeSources, type NewEvent, retractSources } from "../../db/events/append-events.ts";
import { eventLog } from "../../db/events/events.ts";
import { testLog } from "../../harness/log.ts";
import { until } from "../../harness/until.ts";
import { sequence } from "../../workers/events/event-log.ts";
import { eventRetention } from "../../workers/events/event-retention.ts";
import { endedPerTest } from "../support/started.ts";
import { plantAgents, walletOf } from "./support/agents.ts";
import { apiForFile, refusal, serverForTest } from "./support/api.ts";
import { type EventReader, readEvents } from "./support/event-reader.ts";

const EVENTS = "/api/v2/events";

const api = apiForFile({ env: { LIMITS: "streams=0" } });
beforeAll(async () => {
  await plantAgents(
    api.pool,
    [0, 1, 2, 3].map((tokenId) => ({ tokenId })),
  );
});
const ended = endedPerTest();

const context = () => ({
  db: api.pool,
  clock: () => new Date(),
  log: testLog(),
  fault: () => {},
  config: { eventRetentionMs: 7 * 86_400_000, snapshots: { retentionMs: 86_400_000 } },
});

let facts = 0;
const updated = (tokenId: number, over: object = {}) => {
  const at = new Date();
  const fact = `${++facts} ${at.toISOString()}`;
  const data = { changed: ["personality"], storage: "offchain" };
  return { type: "agent.updated", data, fact, tokenId, at, ...over } as NewEvent;
};
/** Of the chain, and not final. */
const mutated = (tokenId: number, key: string) =>
  updated(tokenId, {
    data: { changed: ["version"], storage: "onchain" },
    fact: `${key} ${++facts}`,
    chain: {
      key,
      block: 950,
      txHash: `0x${"ab".repeat(32)}`,
      final: false,
      agentAddress: walletOf(tokenId),
      owner: walletOf(tokenId),
      formerOwner: null,
    },
  });
const verified = (tokenId: number, over: object = {}) =>
  updated(tokenId, { type: "agent.verified", data: { method: "x", handle: "ada" }, ...over });

async function tell(...notes: NewEvent[]): Promise<void> {
  await appendEvents(api.pool, notes);
  await sequence(context());
}
const head = async () => (await eventLog(api.pool)).head;

async function follow(search = "", headers: Record<string, string> = {}, url = api.url): Promise<EventReader> {
  const reader = ended(await readEvents(`${url}${EVENTS}${search}`, headers));
  if (reader.status === 200)
    await until("the stream has begun", () => reader.events.some(({ event }) => event === "start"));
  return reader;
}
const CONTROL = new Set(["start", "position", "gap", "end"]);
const got = (reader: EventReader) =>
  reader.events
    .filter(({ event }) => !CONTROL.has(event))
    .map(({ id, event, data }) => ({ id: Number(id), name: event, event: JSON.parse(data) as EventView }));
const tokens = (reader: EventReader) => got(reader).map(({ event }) => `${event.type} ${event.tokenId}`);
const page = async (search: string) =>
  await api.read<{
    events: EventView[];
    nextAfter: number;
    more: boolean;
    gap: { resumedAfter: number } | null;
  }>(`${EVENTS}/log?${search}`);

describe("the stream", () => {
  it("carries each event by its name and its place, as the log shows it, from now on", async () => {
    await tell(updated(0));
    const from = await head();
    const reader = await follow();
    expect(reader.headers.get("content-type")).toBe("text/event-stream");
    await tell(updated(0), verified(1));
    await until("two events", () => got(reader).length === 2);
    expect(got(reader).map(({ id, name }) => [id, name])).toEqual([
      [from + 1, "agent.updated"],
      [from + 2, "agent.verified"],
    ]);
    expect((await page(`after=${from}`)).events).toEqual(got(reader).map(({ event }) => event));
  });

  it("goes on after the last id, by header or query, repeating nothing", async () => {
    const from = await head();
    await tell(updated(0), updated(1), updated(2));
    const all = [
      [await follow(`?after=${from}`), [0, 1, 2, 3]],
      [await follow("", { "last-event-id": String(from + 1) }), [1, 2, 3]],
      [await follow(`?after=${from}`, { "last-event-id": String(from + 2) }), [2, 3]],
    ] as const;
    await tell(updated(3));
    for (const [reader, expected] of all) {
      await until("the last", () => got(reader).at(-1)?.event.tokenId === 3);
      expect(got(reader).map(({ event }) => event.tokenId)).toEqual(expected);
    }
    const refused = await follow("", { "last-event-id": "yesterday" });
    expect([refused.status, JSON.parse(await refused.text()).code]).toEqual([400, "invalid_input"]);
  });

  it.each<[string, string, Record<string, string>, number]>([
    ["a polyfill that repeats the address", "?lastEventId=3", {}, 3],
    ["of several the latest", "?lastEventId=2&after=4", { "last-event-id": "3" }, 4],
    ["of several the latest", "?lastEventId=5&after=4", { "last-event-id": "3" }, 5],
    ["of several the latest", "?lastEventId=2&after=1", { "last-event-id": "6" }, 6],
    ["an empty header is none", "?after=4", { "last-event-id": "" }, 4],
    ["an empty header is none", "?after=4", { "last-event-id": " " }, 4],
    ["an empty query is none", "?lastEventId=&after=4", {}, 4],
  ])("goes on where a reader has been: %s (%s, %j)", async (_, search, headers, from) => {
    await tell(updated(1), updated(1), updated(1), updated(1), updated(1), updated(1), updated(1));
    const reader = await follow(search, headers);
    expect(JSON.parse(reader.events.find(({ event }) => event === "start")!.data)).toEqual({ lastId: from });
  });

  it("begins with what comes next where an empty header is all there is, and refuses what is no id", async () => {
    const end = await head();
    const reader = await follow("", { "last-event-id": "" });
    expect(JSON.parse(reader.events.find(({ event }) => event === "start")!.data)).toEqual({ lastId: end });
    for (const [search, headers] of [
      ["?lastEventId=x", {}],
      ["?lastEventId=-1", {}],
      ["", { "last-event-id": "evt_1" }],
    ] as const)
      expect((await follow(search, headers)).status).toBe(400);
  });

  it("is filtered by the names that webhooks use as well", async () => {
    const from = await head();
    await tell(updated(0), updated(1), updated(2));
    for (const named of ["agents=1", `owners=${walletOf(1)}`, "agent=1&agents=1", `agent=${walletOf(1)}`]) {
      const { events } = await page(`after=${from}&type=agent.updated&${named}`);
      expect([named, events.map(({ tokenId }) => tokenId)]).toEqual([named, [1]]);
    }
    expect((await api.get(`${EVENTS}/log?agents=x`)).status).toBe(400);
  });

  it("gives each reader what it wants, and what takes that back", async () => {
    const owner = walletOf(2);
    const moved = {
      ...mutated(3, `0xmoved-${facts}`),
      type: "agent.transferred",
      data: { from: walletOf(2), to: walletOf(3) },
    } as NewEvent;
    moved.chain!.formerOwner = owner;
    const all = [
      await follow("?type=agent.verified"),
      await follow("?type=AGENT.VERIFIED,agent.updated&agent=1"),
      await follow(`?agent=0,${walletOf(1).toUpperCase().replace("0X", "0x")}`),
      await follow(`?owner=${owner}`),
      await follow("?type=event.retracted"),
    ];
    const key = `0xkey-${facts}`;
    await tell(updated(0), verified(1), mutated(1, key), updated(2), moved);
    await retractSources(api.pool, [key]);
    await sequence(context());
    await tell(verified(1), updated(0), updated(2));
    const expected = [
      ["agent.verified 1", "agent.verified 1"],
      ["agent.verified 1", "agent.updated 1", "event.retracted 1", "agent.verified 1"],
      [
        "agent.updated 0",
        "agent.verified 1",
        "agent.updated 1",
        "event.retracted 1",
        "agent.verified 1",
        "agent.updated 0",
      ],
      ["agent.updated 2", "agent.transferred 3", "agent.updated 2"],
      ["event.retracted 1"],
    ];
    for (const [i, reader] of all.entries()) {
      await until("all of them", () => got(reader).length >= expected[i]!.length);
      expect(tokens(reader)).toEqual(expected[i]);
    }
    // The log, and who reads it from far back, apply the same filters in SQL.
    const from = Number(all[0]!.events[0]!.id);
    const paged = await page(`after=${from}&type=agent.verified,agent.updated&agent=1`);
    expect(paged.events.map(({ type, tokenId }) => `${type} ${tokenId}`)).toEqual(expected[1]);
    expect((await page(`after=${from}&owner=${owner}`)).events.map(({ tokenId }) => tokenId)).toEqual([2, 3, 2]);
  });

  it("tells those who wait for finality when it is there, once, and of nothing else", async () => {
    const [any, final] = [await follow(), await follow("?finality=final")];
    const [kept, lost] = [`0xkept-${facts}`, `0xlost-${facts}`];
    await tell(mutated(0, kept), mutated(1, lost), updated(2));
    // Read before any of them is final: a row that is read later says what it is by then.
    await until("those that are told at once", () => got(any).length === 3);
    await retractSources(api.pool, [lost]);
    await finalizeSources(api.pool, [kept]);
    await sequence(context());
    await until("the final ones", () => got(final).length === 2);
    expect(got(final).map(({ event }) => [event.tokenId, event.final])).toEqual([
      [2, true],
      [0, true],
    ]);
    await until("all of them", () => got(any).length === 4);
    expect(got(any).map(({ event }) => [event.type, event.tokenId, event.final])).toEqual([
      ["agent.updated", 0, false],
      ["agent.updated", 1, false],
      ["agent.updated", 2, true],
      ["event.retracted", 1, true],
    ]);
    expect(got(any)[0]!.event.id).toBe(got(final)[1]!.event.id);
    const resumed = await follow("?finality=final", { "last-event-id": String(got(final)[0]!.id) });
    await until("the second of them", () => got(resumed).length === 1);
    expect(got(resumed)).toEqual([got(final)[1]]);
  });

  it("is the same in every process", async () => {
    const second = await serverForTest(createApi(api.deps));
    const [here, there] = [await follow(), await follow("", {}, second.url)];
    for (let i = 0; i < 20; i++) await tell(updated(i % 4), verified(i % 4));
    await until("all of them", () => got(here).length === 40 && got(there).length === 40);
    expect(got(there)).toEqual(got(here));
    // A reader may change the process.
    const moved = await follow("", { "last-event-id": String(got(here)[9]!.id) }, second.url);
    await until("the rest", () => got(moved).length === 30);
    expect(got(moved)).toEqual(got(here).slice(10));
  });

  it("goes on when notifications are lost", async () => {
    const reader = await follow();
    for (let i = 0; i < 4; i++) {
      await api.sql(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'notifications' and datname = current_database()",
      );
      await tell(updated(i));
    }
    await until("all four", () => got(reader).length === 4);
    expect(got(reader).map(({ event }) => event.tokenId)).toEqual([0, 1, 2, 3]);
  });

  it("is read from far back by who wants little, without the rest", async () => {
    const from = await head();
    await api.sql`insert into offchain.event (id, position, final_position, type, token_id, data, at, final)
      select 'evt_far' || n, ${from}::int8 + n, ${from}::int8 + n, 'cred.changed', n % 1000,
        '{"score":1,"tier":"JUNK","previous":null,"cause":"age"}', now(), true from generate_series(1, 6000) n`;
    await api.sql("update offchain.event_log set head = head + 6000");
    const [few, all] = [await follow(`?after=${from}&agent=7`), await follow(`?after=${from}`)];
    await until("all of them", () => all.events.length === 6_001);
    await until("six", () => got(few).length === 6);
    expect(got(few).map(({ id }) => id)).toEqual(Array.from({ length: 6 }, (_, i) => from + 7 + i * 1000));
    expect(got(all).map(({ id }) => id)).toEqual(Array.from({ length: 6_000 }, (_, i) => from + 1 + i));
    await tell(updated(7));
    await until("and what comes next", () => got(few).length === 7);
  });
});

describe("what is refused", () => {
  it.each([
    "?type=agent.born",
    "?type=agent.updated&type=agent.verified",
    "?agent=12abc",
    "?agent=0x12",
    `?agent=${Array(101).fill(1).join(",")}`,
    "?owner=7",
    "?after=-1",
    "?finality=maybe",
  ])("%s", async (search) => {
    for (const path of [EVENTS, `${EVENTS}/log`]) {
      const { status, body } = await api.get(path + search);
      expect([path, status, body.code]).toEqual([path, 400, "invalid_input"]);
    }
  });

  it("HEAD opens nothing", async () => {
    const { status, headers, text } = await api.send("HEAD", EVENTS);
    expect([status, headers.get("content-type"), text]).toEqual([200, "text/event-stream", ""]);
  });
});

describe("streams of one address", () => {
  const MOST = 100;
  const sockets: Socket[] = [];
  const own = apiForFile({ alone: true, env: { LIMITS: `streams=${MOST}` } }, { provoked: true });
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });

  /** Sends requests for the stream over a socket of its own, all at once. */
  function ask({ times = 1, method = "GET" } = {}): { socket: Socket; statuses(): number[] } {
    let text = "";
    const socket = connect(Number(new URL(own.url).port), "127.0.0.1", () =>
      socket.write(`${method} ${EVENTS} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(times)),
    );
    socket.setEncoding("latin1").on("data", (chunk) => {
      text += chunk;
    });
    socket.on("error", () => {});
    sockets.push(socket);
    return { socket, statuses: () => [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status)) };
  }
  const free = async () => {
    const { socket, statuses } = ask();
    await until("it is answered", () => statuses().length === 1);
    socket.destroy();
    return statuses()[0] === 200;
  };

  it("opened in a burst are as many as opened one by one, and their places come back", async () => {
    for (let round = 0; round < 2; round++) {
      // All of them are under way before the first can open.
      const client = await own.database.pool.connect();
      await client.query("begin; lock table offchain.event_log in access exclusive mode");
      const asked = Array.from({ length: 300 }, () => ask());
      await until("all are connected", () => asked.every(({ socket }) => !socket.pending));
      await own.get("/health");
      await client.query("commit");
      client.release();
      await until("all are answered", () => asked.every(({ statuses }) => statuses().length === 1));
      const opened = asked.filter(({ statuses }) => statuses()[0] === 200);
      expect(opened).toHaveLength(MOST);
      expect(asked.filter(({ statuses }) => statuses()[0] === 429)).toHaveLength(200);
      for (const { socket } of asked) socket.destroy();
      await until("a place is free", free);
    }
  });

  it("that stand in line behind another on one connection give their places back with it", async () => {
    const { socket, statuses } = ask({ times: MOST });
    await until("all places are taken", async () => statuses().length > 0 && !(await free()));
    socket.destroy();
    await until("a place is free", free);
  });

  it("keep no place for a HEAD, a refusal, or a client that has gone before the answer", async () => {
    for (let round = 0; round < 2 * MOST; round++) ask({ method: round % 2 ? "HEAD" : "GET" }).socket.end();
    const refused = Array.from({ length: MOST }, () => own.get(`${EVENTS}?after=-1`));
    expect(new Set((await Promise.all(refused)).map(({ status }) => status))).toEqual(new Set([400]));
    for (const socket of sockets.splice(0)) socket.destroy();
    const asked = await until("all places are free", async () => {
      const asked = Array.from({ length: MOST }, () => ask());
      await until("all are answered", () => asked.every(({ statuses }) => statuses().length === 1));
      const opened = asked.every(({ statuses }) => statuses()[0] === 200);
      if (!opened) for (const { socket } of asked) socket.destroy();
      return opened && asked;
    });
    expect(asked).toHaveLength(MOST);
  });
});

describe("the log in pages", () => {
  it("walks from the oldest kept to the end, each event once", async () => {
    const ids: string[] = [];
    let { nextAfter, more, events } = await page("limit=1000&type=agent.updated,agent.verified");
    ids.push(...events.map(({ id }) => id));
    while (more) {
      ({ nextAfter, more, events } = await page(`limit=1000&type=agent.updated,agent.verified&after=${nextAfter}`));
      ids.push(...events.map(({ id }) => id));
    }
    const rows = await api.sql(`select id from offchain.event where type in ('agent.updated', 'agent.verified')
         or data ->> 'type' in ('agent.updated', 'agent.verified') order by position`);
    expect(ids).toEqual(rows.map(({ id }) => id));
    expect(nextAfter).toBe(await head());
    const clamped = (await api.get(`${EVENTS}/log?limit=5000`)).body;
    expect(clamped).toMatchObject({ limit: 1000, after: 0, gap: null });
  });
});

describe("the events of an agent", () => {
  type Page = { events: EventView[]; nextBefore: number | null; since: string | null; limit: number };
  const pageOf = async (search: string, tokenId = 2) =>
    await api.read<Page>(`/api/v2/agent/${tokenId}/events?${search}`);

  it("are walked from the newest to the oldest, each once, and none that was taken back", async () => {
    const key = "0xtakenback-1";
    await tell(updated(2), updated(3), verified(2), mutated(2, key), updated(2));
    await retractSources(api.pool, [key]);
    await sequence(context());
    const ids: string[] = [];
    let page = await pageOf("limit=1");
    for (;;) {
      ids.push(...page.events.map(({ id }) => id));
      if (page.nextBefore === null) break;
      page = await pageOf(`limit=1&before=${page.nextBefore}`);
    }
    const rows =
      await api.sql(`select id, type from offchain.event where token_id = 2 and not retracted and type <> 'event.retracted'
       order by position desc`);
    expect(ids).toEqual(rows.map(({ id }) => id));
    const proofs = await pageOf("type=agent.verified");
    expect(proofs.events.map(({ id }) => id)).toEqual(rows.filter((r) => r.type === "agent.verified").map((r) => r.id));
    expect(proofs.nextBefore).toBeNull();
    expect(Date.parse(proofs.since!)).toBeLessThanOrEqual(Date.now());
  });

  it("of one type lie behind thousands of others, and are reached in steps of so many", async () => {
    await tell(verified(1, { data: { method: "github", handle: "behind" } }));
    await api.sql(`insert into offchain.event (id, type, token_id, data, at, final, source)
       select 'evt_many' || i, 'agent.updated', 1, '{"changed":["traits"],"storage":"onchain"}', now(), true, null
       from generate_series(1, 6000) i`);
    for (let more = true; more; ) {
      const before = await head();
      await sequence(context());
      more = (await head()) > before;
    }
    const first = await pageOf("type=agent.verified", 1);
    expect(first.events).toEqual([]);
    const second = await pageOf(`type=agent.verified&before=${first.nextBefore}`, 1);
    expect(second.events[0]).toMatchObject({ type: "agent.verified", data: { handle: "behind" } });
  });

  it("are read by the index of the agent, and those of no agent are not found", async () => {
    expect(await api.get("/api/v2/agent/999/events")).toMatchObject(refusal(404, "not_found"));
    expect((await api.get("/api/v2/agent/2/events?before=x")).status).toBe(400);
    // Whatever a caller names, only what stands before the end of the log is read.
    expect((await pageOf(`before=${Number.MAX_SAFE_INTEGER}`)).events.length).toBeGreaterThan(0);
    const rows =
      await api.sql(`explain (format json) select * from offchain.event where token_id = 2 and position < 10 and not retracted
       and retracts is null order by position desc limit 5000`);
    expect(JSON.stringify(rows)).toMatch(/token_id_position/);
  });
});

// The last, for it takes the beginning of the log away.
describe("what is kept no longer", () => {
  it("is told of as a gap, and so is a position that was never given", async () => {
    await api.sql("update offchain.event set at = now() - interval '8 days' where position <= 10");
    expect(await eventRetention.run(context() as never, {})).toBe(10);
    const end = await head();
    for (const [after, resumedAfter] of [
      [3, 10],
      [end + 1000, end],
    ] as const) {
      const reader = await follow(`?after=${after}&type=agent.registered`);
      const gap = { after, resumedAfter, error: expect.any(String) };
      expect(JSON.parse(reader.events.find(({ event }) => event === "gap")!.data)).toEqual(gap);
      expect(JSON.parse(reader.events.find(({ event }) => event === "start")!.data)).toEqual({ lastId: resumedAfter });
      expect((await page(`after=${after}`)).gap).toEqual(gap);
    }
    expect((await page("limit=1")).gap).toBeNull();
    const within = await follow("?after=10&type=agent.registered");
    expect(within.events.map(({ event }) => event)).toEqual(["start"]);
  });
});
