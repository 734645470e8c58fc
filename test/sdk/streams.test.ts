/** What the SDK's streams do on lines that break, fall silent, are refused or ended, and where they go on: against a scripted server. */
import type { ServerResponse } from "node:http";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { LONG, NEVER } from "../../harness/patience.ts";
import {
  ApiError,
  type ClientOptions,
  ConnectionError,
  createClient,
  StreamEnded,
  type StreamEvent,
  StreamGap,
} from "../../sdk/src/index.ts";
import { type Asked, failure, refusal, type Scripted, scriptedForFile } from "./scripted-server.ts";

const { server, time } = scriptedForFile();

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const client = (options: Partial<ClientOptions> = {}) => createClient({ baseUrl: server.url, time, ...options });
const asked = () => server.asked.map(({ headers }) => headers["last-event-id"]);

/** A line that says these frames and then ends, breaks in the middle of a word, or stays open. */
const line =
  (frames: string, then: "end" | "break" | "stay" = "end") =>
  (_: Asked, response: ServerResponse) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    if (then === "end") return void response.end(frames);
    response.write(frames);
    if (then === "break") response.write("id: 99\nevent: agent.upd", () => response.socket?.destroy());
  };
const event = (id: number, data: object = { n: id }) =>
  `id: ${id}\nevent: agent.updated\ndata: ${JSON.stringify(data)}\n\n`;
const ending = (reason: string) =>
  `event: end\ndata: ${JSON.stringify({ reason, error: "Because.", required: 76 })}\n\n`;

async function take(stream: AsyncIterable<StreamEvent>, count: number): Promise<[string | undefined, string][]> {
  const taken: [string | undefined, string][] = [];
  for await (const { id, type } of stream) {
    taken.push([id, type]);
    if (taken.length === count) break;
  }
  return taken;
}

describe("a stream", () => {
  it("goes on after the last event it gave, whatever ended the line", async () => {
    server.answer(
      line(`retry: 700\n\n${event(1)}${event(2)}`, "break"),
      line(event(3)),
      line(`retry: 1500\n\n${ending("restarting")}`),
      line(event(4)),
    );
    expect(await take(client().events({}, { after: 0 }), 4)).toEqual(
      ["1", "2", "3", "4"].map((id) => [id, "agent.updated"]),
    );
    expect(asked()).toEqual(["0", "2", "3", "3"]);
    // As the service asked: after the line that broke, after the one that ended, after the restart.
    expect(time.waits).toEqual([700, 700, 1500]);
    expect(server.asked[0]!.headers.accept).toBe("text/event-stream");
  });

  it("knows its place by events that are none of the reader's", async () => {
    const place = (id: number, name: string) => `id: ${id}\nevent: ${name}\ndata: {"lastId":${id}}\n\n`;
    server.answer(line(`: still here\n\n${place(7, "start")}`), line(place(9, "position"), "break"), line(event(12)));
    expect(await take(client().events(), 1)).toEqual([["12", "agent.updated"]]);
    expect(asked()).toEqual([undefined, "7", "9"]);
  });

  it("names what it wants in one parameter each", async () => {
    server.answer(line(event(1)));
    const filter = {
      types: ["agent.registered", "cred.changed"],
      agents: [0, "0xAb"],
      owners: ["0xCd"],
      final: true,
    } as const;
    await take(client().events(filter), 1);
    const query = new URL(server.asked[0]!.url, server.url).searchParams;
    expect(Object.fromEntries(query)).toEqual({
      ...{ type: "agent.registered,cred.changed", agent: "0,0xAb", owner: "0xCd", finality: "final" },
    });
  });

  it("gives up a line on which nothing comes", async () => {
    // A first word that is late is silence as well: it is asked for again.
    const next: Scripted = (one, response) =>
      line(event(Number(one.headers["last-event-id"]) + 1), "stay")(one, response);
    server.answer(...Array<Scripted>(100).fill(next));
    const taken = await take(client({ silenceMs: NEVER }).events({}, { after: 0 }), 2);
    expect(taken.map(([id]) => id)).toEqual(["1", "2"]);
    expect([...new Set(asked())]).toEqual(["0", "1"]);
  });

  it("ends by its reader's signal, before its first word and after it", async () => {
    for (const frames of ["", event(1)]) {
      server.answer(frames === "" ? () => {} : line(frames, "stay"));
      const stop = new AbortController();
      const stream = client({ retry: { timeoutMs: 10 * LONG } }).events({}, { after: 0, signal: stop.signal });
      if (frames !== "") await stream.next();
      const thrown = failure(stream.next());
      for (let turns = 0; turns < 10; turns++) await new Promise((done) => setImmediate(done)).then(collectGarbage);
      stop.abort(new Error("enough"));
      expect(await thrown).toMatchObject({ message: "enough" });
    }
  });

  it("outlives a service that is away for longer than any request would wait", async () => {
    const away = Array<Scripted>(12).fill("cut");
    const full = refusal(503, "overloaded", { "retry-after": "15" });
    server.answer(line(event(1)), ...away, full, line(event(2)));
    expect(await take(client({ retry: { attempts: 3 } }).events({}, { after: 0 }), 2)).toHaveLength(2);
    expect(asked().slice(1)).toEqual(Array(14).fill("1"));
  });

  it("is refused as a call is, at its beginning", async () => {
    server.answer("cut", "cut");
    expect(
      await failure(
        client({ retry: { attempts: 2 } })
          .events()
          .next(),
      ),
    ).toBeInstanceOf(ConnectionError);
    server.answer(refusal(404, "not_found"));
    expect(await failure(client().messageStream("nothing").next())).toMatchObject({
      name: "ApiError",
      code: "not_found",
    });
  });

  it("ends when it is refused later on, and when its reader may read no more", async () => {
    server.answer(line(event(1)), refusal(403, "forbidden"));
    const stream = client().messageStream("governance", { after: 0 });
    await stream.next();
    expect(await failure(stream.next())).toBeInstanceOf(ApiError);
    server.answer(line(ending("forbidden")));
    const ended = await failure(client().messageStream("governance", { after: 0 }).next());
    expect(ended).toBeInstanceOf(StreamEnded);
    expect(ended).toMatchObject({ reason: "forbidden", message: "Because.", body: { required: 76 } });
  });

  it("does not hide that events were missed", async () => {
    const gap = { after: 3, resumedAfter: 90, error: "Events up to 90 are kept no longer." };
    const missed = `event: gap\ndata: ${JSON.stringify(gap)}\n\n`;
    server.answer(line(`${missed}${event(91)}`));
    const thrown = await failure(client().events({}, { after: 3 }).next());
    expect(thrown).toBeInstanceOf(StreamGap);
    expect(thrown).toMatchObject({ after: 3, resumedAfter: 90, message: gap.error });
    server.answer(line(`${missed}${event(91)}`));
    const gaps: object[] = [];
    const stream = client().events({}, { after: 3, onGap: (told) => gaps.push(told) });
    expect(await take(stream, 1)).toEqual([["91", "agent.updated"]]);
    expect(gaps).toEqual([gap]);
  });

  it("reads characters and frames that come in pieces", async () => {
    const bytes = Buffer.from(event(1, { name: "Zoë 🤖" }));
    server.answer((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      let at = 0;
      const next = () => {
        if (at < bytes.length) response.write(bytes.subarray(at, ++at), () => setImmediate(next));
      };
      next();
    });
    const { value } = await client().events().next();
    expect(value).toMatchObject({ id: "1", data: { name: "Zoë 🤖" } });
  });
});
