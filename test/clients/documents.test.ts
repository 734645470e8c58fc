/** Foreign documents: asked for unless they are the known version, and each host at its own pace. */
import type { IncomingHttpHeaders } from "node:http";
import { text } from "node:stream/consumers";
import { beforeEach, describe, expect, it } from "vitest";
import { foreignDocuments, foreignEndpoints } from "../../clients/foreign-endpoints.ts";
import type { Documents, ForeignEndpoints } from "../../clients/ports.ts";
import { openPublicHttp, type PublicHttp } from "../../clients/public-http.ts";
import { type LoopbackServer, listen } from "../../harness/listen.ts";
import { endedPerTest, perTest } from "../support/started.ts";
import { PATIENT } from "../support/time-limits.ts";

type Answer = { status?: number; headers?: Record<string, string>; body?: string };
/** A host whose answers are told to it, some by path, and what it was asked: headers, and as `sent` the method and the body. */
type Host = LoopbackServer & {
  asked: IncomingHttpHeaders[];
  answer: Answer;
  answersAt?: Record<string, Answer>;
};

const http = perTest(() => openPublicHttp({ userAgent: "tests", loopback: true, limits: PATIENT }));
let endpoints: ForeignEndpoints;
let documents: Documents;
let clock: number;
/** Requests that redirects may still send to another host today. */
let redirected: number;
const ended = endedPerTest();
beforeEach(() => {
  clock = Date.UTC(2026, 10, 21);
  redirected = 100;
  const takeRedirected = async () => (redirected-- > 0 ? 0 : 3_600);
  endpoints = foreignEndpoints(http, { now: () => clock, takeRedirected });
  documents = foreignDocuments(endpoints);
});

async function host(answer: Answer = { body: "{}" }): Promise<Host> {
  const server = await listen(async (request, response) => {
    made.asked.push({ ...request.headers, sent: `${request.method} ${await text(request)}` });
    const { status = 200, headers = {}, body } = made.answersAt?.[request.url!] ?? made.answer;
    response.writeHead(status, headers).end(body);
  });
  const made: Host = { ...server, url: `${server.url}/agent.json`, asked: [], answer };
  return ended(made);
}

describe("a version that is known", () => {
  it.each([
    ["by its ETag", { etag: 'W/"7"', lastModified: null }, { "if-none-match": 'W/"7"' }],
    [
      "by when it was changed",
      { etag: null, lastModified: "Sat, 21 Nov 2026 05:00:00 GMT" },
      { "if-modified-since": "Sat, 21 Nov 2026 05:00:00 GMT" },
    ],
  ])("%s is not sent again", async (_, validators, sent) => {
    const headers: Record<string, string> = {};
    if (validators.etag) headers.etag = validators.etag;
    if (validators.lastModified) headers["last-modified"] = validators.lastModified;
    const place = await host({ headers, body: '{"name":"A"}' });
    expect(await documents.get(place.url, null)).toEqual({ kind: "fetched", text: '{"name":"A"}', validators });
    place.answer = { status: 304 };
    expect(await documents.get(place.url, validators)).toEqual({ kind: "unchanged" });
    expect(place.asked[1]).toMatchObject(sent);
    expect(place.asked[0]).not.toHaveProperty(Object.keys(sent)[0]!);
  });

  it("is nothing that a server may invent", async () => {
    const place = await host({ status: 304 });
    expect(await documents.get(place.url, null)).toMatchObject({ kind: "failed", final: false });
    place.answer = { headers: { etag: "x".repeat(2_000) }, body: "{}" };
    expect(await documents.get(place.url, null)).toMatchObject({ kind: "fetched", validators: null });
  });
});

describe("a host", () => {
  it("that asks to be left alone is, for as long as it says, and no other host with it", async () => {
    const [strict, other] = [await host({ status: 429, headers: { "retry-after": "30" } }), await host()];
    expect(await documents.get(strict.url, null)).toEqual({ kind: "deferred", seconds: 30 });
    clock += 10_000;
    expect(await documents.get(strict.url, null)).toEqual({ kind: "deferred", seconds: 20 });
    expect(strict.asked).toHaveLength(1);
    expect(await documents.get(other.url, null)).toMatchObject({ kind: "fetched" });
    clock += 20_000;
    strict.answer = { body: "{}" };
    expect(await documents.get(strict.url, null)).toMatchObject({ kind: "fetched" });
  });

  it("that is down is a failure, not a pause, and is left alone for as long as it says", async () => {
    const down = await host({ status: 503, headers: { "retry-after": "30" } });
    const failed = { kind: "failed", reason: "The server answers with status 503.", final: false };
    expect(await documents.get(down.url, null)).toMatchObject(failed);
    expect(await documents.get(down.url, null)).toEqual({ kind: "deferred", seconds: 30 });
    clock += 30_000;
    down.answer = { status: 503 };
    expect(await documents.get(down.url, null)).toMatchObject(failed);
    down.answer = { body: "{}" };
    expect(await documents.get(down.url, null)).toMatchObject({ kind: "fetched" });
  });

  it("that fails time and again is tried now and then", async () => {
    const place = await host({ status: 500 });
    for (let n = 0; n < 5; n++) expect(await documents.get(place.url, null)).toMatchObject({ kind: "failed" });
    expect(await documents.get(place.url, null)).toEqual({ kind: "deferred", seconds: 5 });
    expect(place.asked).toHaveLength(5);
    clock += 5_000;
    place.answer = { body: "{}" };
    expect(await documents.get(place.url, null)).toMatchObject({ kind: "fetched" });
    expect(await documents.get(place.url, null)).toMatchObject({ kind: "fetched" });
  });

  it("is asked for so many documents at once, and the rest later", async () => {
    const place = await host();
    // Twenty at once, then one in a fifth of a second; a turn that is further away than five seconds is left for later.
    const all = Array.from({ length: 50 }, () => documents.get(place.url, null));
    expect(await Promise.all(all.slice(0, 20))).toEqual(Array(20).fill(expect.objectContaining({ kind: "fetched" })));
    expect(await Promise.all(all.slice(45))).toEqual(Array(5).fill({ kind: "deferred", seconds: 6 }));
  });
});

describe("a redirect", () => {
  const to = (location: string, status = 302) => host({ status, headers: { location } });

  it.each([
    ["http://169.254.169.254/", "The address must be on a public address."],
    ["http://10.0.0.1/", "The address must be on a public address."],
    ["//192.168.0.1/", "The address must be on a public address."],
    ["http://[::ffff:10.0.0.1]/", "The address must be on a public address."],
    ["file:///x", "The address must be an http or https URL."],
    ["http://", "The address must not redirect to what is no URL."],
  ])("to %j is refused", async (location, reason) => {
    const place = await to(location);
    expect(await documents.get(place.url, null)).toMatchObject({ kind: "failed", reason, final: true });
  });

  it("is followed three times, and carries no credentials to another origin", async () => {
    const last = await host();
    const third = await to(last.url, 308);
    const second = await to(third.url, 307);
    const first = await to(second.url);
    const headers = { authorization: "Bearer secret", accept: "text/plain" };
    expect(await endpoints.send({ url: first.url, headers })).toMatchObject({
      ...{ kind: "answered", status: 200, text: "{}", url: last.url },
    });
    expect(first.asked[0]).toMatchObject(headers);
    expect(last.asked[0]).toMatchObject({ accept: "text/plain" });
    expect(last.asked[0]).not.toHaveProperty("authorization");
    const zeroth = await to(first.url);
    expect(await endpoints.send({ url: zeroth.url })).toMatchObject({ kind: "answered", status: 308, url: third.url });
    expect(last.asked).toHaveLength(1);
  });

  const POST = { method: "POST", headers: { authorization: "Bearer secret" }, body: "{}" } as const;

  it.each([307, 308])("keeps method and body within its origin (%i)", async (status) => {
    const place = await to("/agent.json/", status);
    place.answersAt = { "/agent.json/": { body: '{"found":1}' } };
    expect(await endpoints.send({ ...POST, url: place.url })).toMatchObject({
      ...{ kind: "answered", status: 200, text: '{"found":1}', url: `${place.url}/` },
    });
    expect(place.asked).toMatchObject([POST, POST].map(({ headers }) => ({ ...headers, sent: "POST {}" })));
  });

  it("has nothing posted to another origin, nor where the method would change", async () => {
    const other = await host();
    for (const status of [307, 308])
      expect(await endpoints.send({ ...POST, url: (await to(other.url, status)).url })).toMatchObject({ status });
    for (const status of [301, 302, 303]) {
      const place = await to("/agent.json/", status);
      expect(await endpoints.send({ ...POST, url: place.url })).toMatchObject({ status });
      expect(place.asked).toHaveLength(1);
    }
    expect(other.asked).toEqual([]);
  });

  it("leads to no host that asks to be left alone, or that is to be tried now and then", async () => {
    const strict = await host({ status: 429, headers: { "retry-after": "30" } });
    expect(await endpoints.send({ url: (await to(strict.url)).url })).toEqual({ kind: "limited", seconds: 30 });
    const other = await to(strict.url);
    expect(await endpoints.send({ url: other.url })).toEqual({ kind: "deferred", seconds: 30, askedOther: true });
    expect([strict.asked.length, other.asked.length]).toEqual([1, 1]);
    const broken = await host({ status: 500 });
    for (let n = 0; n < 5; n++) await endpoints.send({ url: (await to(broken.url)).url });
    expect(await endpoints.send({ url: (await to(broken.url)).url })).toMatchObject({ kind: "deferred", seconds: 5 });
    expect(broken.asked).toHaveLength(5);
  });

  it("sends a host no more requests in a day than it gets under its own name, from however many hosts", async () => {
    redirected = 2;
    const victim = await host();
    for (let n = 0; n < 2; n++)
      expect(await documents.get((await to(victim.url)).url, null)).toMatchObject({ kind: "fetched" });
    const put = { kind: "deferred", seconds: 3_600, askedOther: true };
    expect(await endpoints.send({ url: (await to(victim.url)).url })).toEqual(put);
    expect(victim.asked).toHaveLength(2);
    expect(await documents.get(victim.url, null)).toMatchObject({ kind: "fetched" });
  });

  it("to the other of a host's two names takes nothing from what others may send there, and keeps a POST", async () => {
    const taken: string[][] = [];
    const asked: string[] = [];
    const moved: Record<string, string> = {
      "http://a.example/f": "https://a.example/f",
      "https://a.example/f": "https://www.a.example/f",
      "https://www.b.example/f": "https://b.example/f",
      "https://x.evil.example/f": "https://www.a.example/f",
      "https://a.example/mcp": "http://www.a.example/mcp",
    };
    const named: PublicHttp = {
      request: async (url, { method = "GET" } = {}) => {
        asked.push(`${method} ${url}`);
        const location = moved[url];
        return { status: location ? 308 : 200, headers: location ? { location } : {}, text: "" };
      },
      close: async () => {},
    };
    const { send } = foreignEndpoints(named, {
      takeRedirected: async (...of) => {
        taken.push(of);
        return 3_600;
      },
    });
    for (const url of ["http://a.example/f", "https://www.b.example/f"])
      expect(await send({ url }), url).toMatchObject({ kind: "answered", status: 200 });
    expect(await send({ ...POST, url: "https://a.example/f" })).toMatchObject({ status: 200 });
    expect(asked.at(-1)).toBe("POST https://www.a.example/f");
    // Never down from https.
    expect(await send({ ...POST, url: "https://a.example/mcp" })).toMatchObject({ status: 308 });
    expect(taken).toEqual([]);
    expect(await send({ url: "https://x.evil.example/f" })).toMatchObject({ kind: "deferred", seconds: 3_600 });
    expect(taken).toEqual([["www.a.example", "evil.example"]]);
  });

  it("within a host takes nothing from what others may send there", async () => {
    redirected = 0;
    const place = await to("/moved.json");
    expect(await endpoints.send({ url: place.url })).toMatchObject({ kind: "answered", status: 302 });
    expect(place.asked).toHaveLength(4);
  });
});

it("a request that nobody waits for any more ends, and says nothing of its host", async () => {
  const place = await host();
  let nobody = new AbortController();
  place.server.removeAllListeners("request").on("request", () => nobody.abort());
  for (let times = 0; times < 6; times++) {
    nobody = new AbortController();
    expect(await endpoints.send({ url: place.url, signal: nobody.signal })).toMatchObject({ unasked: true });
  }
  place.server.removeAllListeners("request").on("request", (_, response) => response.end("{}"));
  expect(await endpoints.send({ url: place.url })).toMatchObject({ kind: "answered" });
});

it("what this process may not ask takes no turn of all", async () => {
  let taken = 0;
  const takeTurn = async () => {
    taken++;
    return 0;
  };
  const dead = {
    request: async () => {
      throw new Error("no answer");
    },
  } as unknown as PublicHttp;
  const { send } = foreignEndpoints(dead, { now: () => clock, takeTurn });
  for (let times = 0; times < 5; times++)
    expect(await send({ url: "https://a.example/" })).toMatchObject({ kind: "failed" });
  expect(await send({ url: "https://a.example/" })).toMatchObject({ kind: "deferred" });
  expect(taken).toBe(5);
});

it("the turns of a host are those of all processes, and its own alone while those cannot be asked for", async () => {
  const place = await host();
  let turn = async () => 6_500;
  const takeTurn = () => turn();
  const warned: unknown[] = [];
  const { send } = foreignEndpoints(http, { now: () => clock, takeTurn, warn: (error) => warned.push(error) });
  expect(await send({ url: place.url })).toEqual({ kind: "deferred", seconds: 7 });
  expect(place.asked).toHaveLength(0);
  turn = async () => {
    throw new Error("away");
  };
  expect(await send({ url: place.url })).toMatchObject({ kind: "answered" });
  // Nor does a turn that never comes hold anything up; that is told once.
  turn = () => new Promise(() => {});
  expect(await send({ url: place.url })).toMatchObject({ kind: "answered" });
  const nobody = AbortSignal.abort();
  expect(await send({ url: place.url, signal: nobody })).toMatchObject({ kind: "failed", unasked: true });
  expect(warned).toEqual([new Error("away")]);
});
