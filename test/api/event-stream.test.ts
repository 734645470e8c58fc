/** The streams of every kind: what they send, whom they refuse, whom they drop, how they end. Without a database. */
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { networksOf } from "../../api/http/client-network.ts";
import { EventFeed, type FeedRow } from "../../api/http/event-feed.ts";
import {
  type EventStream,
  type EventStreams,
  eventStreams,
  frameOf,
  type StreamRules,
} from "../../api/http/event-stream.ts";
import { listen } from "../../harness/listen.ts";
import { LONG, NEVER } from "../../harness/patience.ts";
import { until } from "../../harness/until.ts";
import { endedPerTest } from "../support/started.ts";
import { type EventReader, readEvents } from "./support/event-reader.ts";

const ended = endedPerTest();

/** A server whose every answer is a stream. */
async function serve(rules: Partial<StreamRules>, begin: (stream: EventStream) => void) {
  const streams: EventStreams = eventStreams({ perClient: 0, perProcess: 0, ...rules });
  const server = await listen((request, response) => {
    try {
      const client = networksOf(String(request.headers["x-client"] ?? "127.0.0.1"));
      const wallet = request.headers["x-wallet"];
      const { stream } = streams.take(response, wallet ? [client, String(wallet)] : [client])(begin);
      response.writeHead(200, { "content-type": "text/event-stream" });
      stream(response);
    } catch (error) {
      response.writeHead((error as { status: number }).status).end((error as { code: string }).code);
    }
  });
  const { url, port } = ended(server);
  const read = async (headers: Record<string, string> = {}): Promise<EventReader> =>
    ended(await readEvents(url, headers));
  return { streams, port, read };
}

/** A log in memory, with a count of the questions it was asked. */
function memoryLog(rows = 0, size = 10) {
  const all: FeedRow[] = [];
  const add = (count: number) => {
    for (let i = 0; i < count; i++) {
      const position = all.length + 1;
      const frame = Buffer.from(frameOf({ id: position, data: { n: position, fill: "x".repeat(size) } }));
      all.push({ position, frame });
    }
  };
  add(rows);
  const log = {
    all,
    add,
    reads: 0,
    asked: 0,
    failing: false,
    away: new Set<string>(),
    errors: 0,
    feed: (start: number): EventFeed<string> =>
      new EventFeed<string>(
        {
          async read(after, limit) {
            log.reads++;
            await new Promise((done) => setImmediate(done));
            if (log.failing) throw new Error("away");
            const rows = all.filter(({ position }) => position > after).slice(0, limit);
            return { rows, through: rows.at(-1)?.position ?? after, more: rows.length === limit };
          },
          async revoked(followers) {
            log.asked++;
            return new Map(
              followers
                .filter(({ as }) => log.away.has(as))
                .map((f) => [f, { reason: "forbidden", error: "No more." }]),
            );
          },
          failed: () => void log.errors++,
        },
        start,
      ),
  };
  return log;
}
const numbers = (reader: EventReader) => (reader.messages() as unknown as { n: number }[]).map(({ n }) => n);
const upTo = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

describe("a stream", () => {
  it("tells when to come back, sends its events as they are, and a sign of life in between", async () => {
    const { read } = await serve({ heartbeatMs: 20 }, (stream) => {
      stream.write(frameOf({ id: 7, event: "news", data: { text: "a\nb\u2028c" } }));
    });
    const reader = await read();
    await until("two heartbeats", () => reader.comments.length >= 2);
    expect(reader.retry()).toBe(2000);
    expect(reader.events).toEqual([{ id: "7", event: "news", data: '{"text":"a\\nb\u2028c"}' }]);
    expect(reader.ended()).toBe(false);
  });

  it("is refused where there are too many, by network and in all, and free again when one has gone", async () => {
    const { streams, read } = await serve({ perClient: 2, perProcess: 3 }, () => {});
    const first = await read({ "x-client": "2001:db8::1" });
    await read({ "x-client": "2001:db8::2" });
    const refused = await read({ "x-client": "2001:db8:0:0:5::3" });
    expect([refused.status, await refused.text()]).toEqual([429, "rate_limited"]);
    expect((await read({ "x-client": "10.0.0.1" })).status).toBe(200);
    const full = await read({ "x-client": "10.0.0.2" });
    expect([full.status, await full.text()]).toEqual([503, "overloaded"]);
    first.close();
    await until("its place is free", () => streams.count === 2);
    expect((await read({ "x-client": "2001:db8::4" })).status).toBe(200);
  });

  it("counts for the wallet that has signed in, from whatever network", async () => {
    const { read } = await serve({ perClient: 2 }, () => {});
    for (const client of ["10.0.0.1", "10.0.0.2"])
      expect((await read({ "x-client": client, "x-wallet": "0xa" })).status).toBe(200);
    expect((await read({ "x-client": "10.0.0.3", "x-wallet": "0xa" })).status).toBe(429);
    expect((await read({ "x-client": "10.0.0.3", "x-wallet": "0xb" })).status).toBe(200);
  });

  it("is none for a reader that has gone before it began", async () => {
    const streams = eventStreams({ perClient: 1, perProcess: 0 });
    let begun = false;
    const { server, port, close } = await listen((request, response) => {
      const { stream } = streams.take(response, [networksOf("127.0.0.1")])(() => {
        begun = true;
      });
      request.once("close", () => setImmediate(() => stream(response)));
    });
    ended(close);
    const socket = connect(port, "127.0.0.1");
    socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    const [, response] = (await once(server, "request")) as [IncomingMessage, ServerResponse];
    socket.destroy();
    await until("the server knows", () => response.destroyed);
    await new Promise((done) => setImmediate(() => setImmediate(done)));
    expect([streams.count, begun]).toEqual([0, false]);
  });

  it("ends with the process: told why, told to come back, no new ones", async () => {
    const { streams, read } = await serve({}, () => {});
    const readers = await Promise.all([1, 2, 3, 4, 5, 6].map(() => read()));
    streams.endAll();
    await until("all have ended", () => readers.every((reader) => reader.ended()));
    for (const reader of readers) expect(reader.ending()).toMatchObject({ reason: "restarting" });
    // Not all at the same moment.
    expect(new Set(readers.map((reader) => reader.retry())).size).toBeGreaterThan(1);
    expect(streams.count).toBe(0);
    expect((await read()).status).toBe(503);
  });
});

describe("a reader that does not read", () => {
  /** A client that sends its request and takes nothing of the answer. */
  async function sleeper(port: number): Promise<Socket> {
    const socket = connect(port, "127.0.0.1");
    socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    await new Promise((done) => socket.once("readable", done));
    socket.pause();
    ended(() => socket.destroy());
    return socket;
  }

  it("is written no more than it can hold, and dropped after a while; the others get everything", async () => {
    const log = memoryLog(0, 4000);
    const feed = log.feed(0);
    let most = 0;
    let now = 0;
    const stallMs = NEVER;
    const followers: EventStream[] = [];
    const { streams, port, read } = await serve({ stallMs, now: () => now }, (stream) => {
      followers.push(stream);
      const measured: EventStream = Object.create(stream, {
        open: { get: () => stream.open },
        full: { get: () => stream.full },
        write: {
          value: (frame: Buffer) => {
            if (stream.full) most++;
            stream.write(frame);
          },
        },
      });
      feed.follow(measured, 0, "reader");
    });
    await sleeper(port);
    const reader = await read();
    await until("both are there", () => feed.size === 2);
    // More than the buffers of the kernel on both sides take.
    for (let i = 0; i < 40; i++) {
      log.add(100);
      feed.wake();
      await until("it got on", () => numbers(reader).length === (i + 1) * 100);
    }
    expect(numbers(reader)).toEqual(upTo(1, 4000));
    expect(most).toBe(0);
    await until("the sleeper alone is full", () => followers.filter(({ full }) => full).length === 1);
    now += stallMs + 1;
    await until("the sleeper is dropped", () => streams.count === 1);
    expect(feed.size).toBe(1);
  });

  it("gets everything all the same if it wakes up in time", async () => {
    const log = memoryLog(0, 4000);
    const feed = log.feed(0);
    const { port } = await serve({ stallMs: LONG }, (stream) => feed.follow(stream, 0, "late"));
    const socket = await sleeper(port);
    await until("it follows", () => feed.size === 1);
    log.add(4000);
    feed.wake();
    await until("the log is read", () => feed.head === 4000);
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
    });
    socket.resume();
    await until("it has caught up", () => text.includes("\nid: 4000\n") || text.includes("id: 4000\n"));
    const got = [...text.matchAll(/"n":(\d+)/g)].map(([, n]) => Number(n));
    expect(got).toEqual(upTo(1, 4000));
  });
});

describe("a feed", () => {
  /** A feed of a log from a place on, and a reader that follows it from another. */
  async function followed(log: ReturnType<typeof memoryLog>, start: number, from = start) {
    const feed = log.feed(start);
    const { read } = await serve({}, (stream) => feed.follow(stream, from, "reader"));
    return { feed, reader: await read() };
  }

  it("reads once for all its followers, each from its own place", async () => {
    const log = memoryLog(100);
    const feed = log.feed(40);
    const places = [100, 99, 60, 40];
    const { read } = await serve({}, (stream) => feed.follow(stream, places.shift()!, "reader"));
    const readers: EventReader[] = [];
    for (const _ of [1, 2, 3, 4]) readers.push(await read());
    feed.wake();
    await until("the last is there", () => numbers(readers[3]!).length === 60);
    const reads = log.reads;
    log.add(50);
    feed.wake();
    await until("all have all", () => readers.every((reader) => numbers(reader).at(-1) === 150));
    expect(readers.map((reader) => numbers(reader))).toEqual([101, 100, 61, 41].map((from) => upTo(from, 150)));
    expect(readers.map((reader) => reader.events[0])).toEqual(
      [100, 99, 60, 40].map((id) => ({ id: String(id), event: "start", data: `{"lastId":${id}}` })),
    );
    expect(log.reads - reads).toBe(1);
  });

  it("tells who wants only some rows where it stands when nothing was for it, near and far", async () => {
    const log = memoryLog(0);
    const even = (row: FeedRow) => row.position % 2 === 0;
    const page = (rows: FeedRow[], limit: number, after: number) => {
      const taken = rows.filter(({ position }) => position > after).slice(0, limit);
      return { rows: taken, through: taken.at(-1)?.position ?? log.all.length, more: taken.length === limit };
    };
    const far: number[] = [];
    const feed = new EventFeed<"even" | "all">(
      {
        read: async (after, limit) => page(log.all, limit, after),
        async readFor(as, after, limit) {
          far.push(after);
          return page(as === "even" ? log.all.filter(even) : log.all, limit, after);
        },
        wants: (as, row) => as === "all" || even(row),
        failed: () => void log.errors++,
      },
      0,
    );
    const { read } = await serve({ heartbeatMs: 20 }, (stream) => feed.follow(stream, 0, "even"));
    const reader = await read();
    log.add(5);
    feed.wake();
    await until("it is told", () => reader.lastId() === "5");
    expect(numbers(reader)).toEqual([2, 4]);
    expect(reader.events.at(-1)).toEqual({ id: "5", event: "position", data: '{"lastId":5}' });
    // More than is remembered: who comes from the beginning reads only its own.
    log.add(1_500);
    feed.wake();
    await until("the near one has all", () => numbers(reader).at(-1) === 1504);
    const late = await read();
    await until("the far one has all", () => numbers(late).at(-1) === 1504);
    const evens = Array.from({ length: 752 }, (_, i) => 2 * i + 2);
    expect(numbers(late)).toEqual(evens);
    expect(numbers(reader)).toEqual(evens);
    expect(far[0]).toBe(0);
    await until("it stands at the end", () => late.lastId() === "1505");
    expect(log.errors).toBe(0);
  });

  it("gives a thousand readers every row, in order, by one question a look", async () => {
    const log = memoryLog(0, 100);
    const feed = log.feed(0);
    const { port } = await serve({}, (stream) => feed.follow(stream, 0, "reader"));
    const texts = Array.from({ length: 1000 }, () => {
      const got = { text: "" };
      const socket = connect(port, "127.0.0.1", () => socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n"));
      socket.on("error", () => {});
      socket.setEncoding("latin1").on("data", (chunk) => {
        got.text += chunk;
      });
      ended(() => socket.destroy());
      return got;
    });
    await until("all follow", () => feed.size === 1000);
    const reads = log.reads;
    for (let looks = 1; looks <= 5; looks++) {
      log.add(20);
      feed.wake();
      await until("the look is over", () => feed.head === looks * 20);
    }
    await until("all have all", () => texts.every(({ text }) => text.includes("\nid: 100\n")));
    for (const { text } of texts)
      expect([...text.matchAll(/"n":(\d+)/g)].map(([, n]) => Number(n))).toEqual(upTo(1, 100));
    expect(log.reads - reads).toBe(5);
  });

  it("lets those who come from far back read the log, and loses nothing at the seam", async () => {
    const log = memoryLog(3000);
    const { feed, reader } = await followed(log, 2900, 0);
    for (let i = 0; i < 30; i++) {
      log.add(40);
      feed.wake();
      await new Promise((done) => setImmediate(done));
    }
    await until("it has everything", () => numbers(reader).length >= 4200);
    expect(numbers(reader)).toEqual(upTo(1, 4200));
  });

  it("goes on after what is in the log no longer", async () => {
    const log = memoryLog(1000);
    log.all.splice(0, 990);
    const { feed, reader } = await followed(log, 995, 3);
    feed.wake();
    await until("it has the rest", () => numbers(reader).length === 10);
    expect(numbers(reader)).toEqual(upTo(991, 1000));
  });

  it("asks before it gives, and ends those who may have no more", async () => {
    const log = memoryLog();
    const feed = log.feed(0);
    const names = ["good", "bad"];
    const { read } = await serve({}, (stream) => feed.follow(stream, 0, names.shift()!));
    const [good, bad] = [await read(), await read()];
    await until("both follow", () => feed.size === 2);
    log.away.add("bad");
    log.add(3);
    feed.wake();
    await until("the one has ended", () => bad.ended());
    await until("the other has all", () => numbers(good).length === 3);
    expect(numbers(bad)).toEqual([]);
    expect(bad.ending()).toEqual({ reason: "forbidden", error: "No more." });
    log.away.add("good");
    await feed.review();
    await until("it has ended though there was nothing for it", () => good.ended());
    expect(feed.size).toBe(0);
  });

  it("gives nothing while it cannot ask, and goes on where it stood", async () => {
    const log = memoryLog();
    const { feed, reader } = await followed(log, 0, 0);
    await until("it follows", () => feed.size === 1);
    log.failing = true;
    log.add(3);
    feed.wake();
    await until("it failed", () => log.errors === 1);
    expect([numbers(reader), reader.ended()]).toEqual([[], false]);
    log.failing = false;
    feed.wake();
    await until("it has all", () => numbers(reader).length === 3);
  });
});
