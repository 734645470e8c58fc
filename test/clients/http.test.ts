/** The HTTP core: answers told from errors, limits, pauses that upstreams ask for, breakers, rates. */
import { beforeEach, describe, expect, it } from "vitest";
import { breaker } from "../../clients/http/breaker.ts";
import { requestRate } from "../../clients/http/request-rate.ts";
import { retryAfter } from "../../clients/http/retry-after.ts";
import { type HttpOptions, openHttp, type UpstreamOptions } from "../../clients/http.ts";
import { Failure } from "../../core/errors.ts";
import { endedPerTest, perFile } from "../support/started.ts";
import { IMPATIENT, PATIENT } from "../support/time-limits.ts";
import { type PlainServer, plainServer, replying } from "./support/plain-server.ts";

const server = perFile(plainServer);
const ended = endedPerTest();
beforeEach(() => {
  server.requests.length = 0;
  server.answer = replying(200, { fine: true });
});

function upstream(options: Partial<HttpOptions> & Partial<UpstreamOptions> = {}) {
  const http = ended(openHttp({ userAgent: "tests", maxWaitMs: 0, limits: PATIENT, ...options }));
  const usual = { name: "Somewhere", baseUrl: `${server.url}/base/`, rate: { burst: 1000, perSecond: 1000 } };
  return http.upstream({ ...usual, ...options });
}
const get = { path: "/thing", statuses: [200, 404], read: (answer: { status: number; json: unknown }) => answer };
const unavailable = async (asked: Promise<unknown>): Promise<Failure> => {
  const error = await asked.then(
    () => new Error("there was an answer"),
    (reason) => reason,
  );
  if (!(error instanceof Failure) || error.code !== "upstream_unavailable") throw error;
  expect(error.message).toBe("Somewhere cannot be asked at the moment. Please try again later.");
  return error;
};

describe("an answer", () => {
  it("has a status that the request named, and JSON whatever its type says", async () => {
    let seen: unknown;
    server.answer = (incoming, outgoing) => {
      seen = incoming.headers;
      replying(404, { error: "no" }, { "content-type": "text/plain" })(incoming, outgoing);
    };
    const asked = upstream({ headers: { authorization: "Bearer key" } }).ask({
      ...get,
      query: { q: "a b", none: undefined },
    });
    expect(await asked).toMatchObject({ status: 404, json: { error: "no" } });
    expect(server.requests).toEqual(["GET /base/thing?q=a+b"]);
    expect(seen).toMatchObject({ "user-agent": "tests", authorization: "Bearer key", accept: "application/json" });
  });

  it("may be empty", async () => {
    server.answer = replying(200, "");
    expect(await upstream().ask(get)).toMatchObject({ json: undefined });
  });

  it("to a POST carries its body", async () => {
    const bodies: string[] = [];
    server.answer = (incoming, outgoing) => {
      incoming.on("data", (chunk) => bodies.push(`${incoming.headers["content-type"]} ${chunk}`));
      incoming.on("end", () => replying(200, {})(incoming, outgoing));
    };
    await upstream().ask({ ...get, method: "POST", body: { a: 1 } });
    expect(bodies).toEqual(['application/json {"a":1}']);
  });

  it("that is too large may mean something", async () => {
    server.answer = replying(200, JSON.stringify("x".repeat(2000)));
    const small = upstream({ maxBytes: 1000 });
    expect(await small.ask({ ...get, read: () => "read", tooLarge: () => "large" })).toBe("large");
    await unavailable(small.ask(get));
  });
});

describe("errors", () => {
  it.each([
    ["a status nobody named", replying(500, { error: "x" })],
    ["a refusal of our key", replying(403, {})],
    ["no credit", replying(402, {})],
    ["HTML", replying(200, "<!doctype html><title>Just a moment…</title>", { "content-type": "text/html" })],
    ["a redirect", replying(302, "", { location: "/elsewhere" })],
    ["JSON that breaks off", replying(200, '{"a":')],
    ["a connection that ends", ((_incoming, outgoing) => outgoing.destroy()) satisfies PlainServer["answer"]],
    ["silence", (() => {}) satisfies PlainServer["answer"], IMPATIENT],
    [
      "a body that never ends",
      ((_incoming, outgoing) => {
        outgoing.writeHead(200);
        outgoing.write("{");
      }) satisfies PlainServer["answer"],
      IMPATIENT,
    ],
  ])("is %s", async (_what, answer, limits = PATIENT) => {
    server.answer = answer;
    expect((await unavailable(upstream({ limits }).ask(get))).options.retryAfter).toBe(5);
    expect(server.requests.filter((line) => line.includes("elsewhere"))).toEqual([]);
  });

  it("is an answer that makes no sense", async () => {
    const read = (): never => {
      throw new Error("not our shape");
    };
    await unavailable(upstream().ask({ ...get, read }));
  });

  it("is no failure of the upstream when only what it holds makes no sense or is too large", async () => {
    const shared = upstream({ maxBytes: 1_000 });
    const read = (): never => {
      throw new Error("not our shape");
    };
    for (let i = 0; i < 12; i++) await unavailable(shared.ask({ ...get, read }));
    server.answer = replying(200, JSON.stringify("x".repeat(2_000)));
    for (let i = 0; i < 12; i++) await unavailable(shared.ask(get));
    server.answer = replying(200, {});
    expect(await shared.ask(get)).toMatchObject({ status: 200 });
  });

  it("is a server that is not there", async () => {
    await unavailable(upstream({ baseUrl: "http://127.0.0.1:1" }).ask(get));
  });

  it("does not repeat what was answered, and repeats a GET whose connection broke once", async () => {
    server.answer = replying(503, {});
    await unavailable(upstream().ask(get));
    expect(server.requests).toHaveLength(1);
    let broken = 0;
    server.answer = (incoming, outgoing) =>
      broken++ === 0 ? outgoing.destroy() : replying(200, {})(incoming, outgoing);
    expect(await upstream().ask(get)).toMatchObject({ status: 200 });
    broken = 0;
    await unavailable(upstream().ask({ ...get, method: "POST", body: {} }));
  });
});

describe("a pause", () => {
  const at = Date.parse("2026-11-21T12:00:00Z");
  it.each([
    [{ "retry-after": "7" }, 7],
    [{ "retry-after": "Sat, 21 Nov 2026 12:00:30 GMT" }, 30],
    [{ "retry-after": "Sat, 21 Nov 2026 11:00:00 GMT" }, 0],
    [{ "retry-after": "999999" }, 900],
    [{ "retry-after": "soon" }, null],
    [{ "x-rate-limit-reset": String(at / 1000 + 120) }, 120],
    [{ "x-ratelimit-reset": String(at / 1000 + 9) }, 9],
    [{ "x-ratelimit-reset": "9" }, null],
    [{}, null],
  ])("asked for by %j is %j s", (headers, seconds) =>
    expect(retryAfter(headers, { nowMs: at, limited: true })).toBe(seconds),
  );

  it("is not asked for by a window that is not used up", () => {
    const headers = { "x-rate-limit-reset": String(at / 1000 + 120), "x-rate-limit-remaining": "299" };
    expect(retryAfter(headers, { nowMs: at, limited: false })).toBeNull();
    expect(retryAfter({ ...headers, "retry-after": "3" }, { nowMs: at, limited: false })).toBe(3);
  });

  it("asked for by an upstream that is down is kept, too", async () => {
    let now = at;
    const somewhere = upstream({ now: () => now });
    server.answer = replying(503, {}, { "retry-after": "20", "x-rate-limit-reset": String(at / 1000 + 800) });
    expect((await unavailable(somewhere.ask(get))).options.retryAfter).toBe(20);
    server.answer = replying(200, {});
    expect((await unavailable(somewhere.ask(get))).options.retryAfter).toBe(20);
    now += 20_000;
    expect(await somewhere.ask(get)).toMatchObject({ status: 200 });
  });

  it("that an upstream asks for is kept", async () => {
    let now = at;
    const somewhere = upstream({ now: () => now });
    server.answer = replying(429, {}, { "x-rate-limit-reset": String(at / 1000 + 90) });
    expect((await unavailable(somewhere.ask(get))).options.retryAfter).toBe(90);
    server.answer = replying(200, {});
    now += 60_000;
    expect((await unavailable(somewhere.ask(get))).options.retryAfter).toBe(30);
    expect(server.requests).toHaveLength(1);
    now += 30_000;
    expect(await somewhere.ask(get)).toMatchObject({ status: 200 });
  });

  it("begins with the last request of a window, though that was answered", async () => {
    let now = at;
    const somewhere = upstream({ now: () => now });
    const headers = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(at / 1000 + 40) };
    server.answer = replying(200, {}, headers);
    expect(await somewhere.ask(get)).toMatchObject({ status: 200 });
    expect((await unavailable(somewhere.ask(get))).options.retryAfter).toBe(40);
    now += 40_000;
    expect(await somewhere.ask(get)).toMatchObject({ status: 200 });
  });
});

describe("a breaker", () => {
  it("opens after failures in a row, lets one trial through, and stays open longer each time that fails", () => {
    let now = 0;
    const circuit = breaker({ failures: 3, openMs: 1_000, longestMs: 3_000, now: () => now });
    const fails = () => {
      expect(circuit.wait()).toBe(0);
      circuit.failed();
    };
    fails();
    fails();
    expect(circuit.wait()).toBe(0);
    circuit.succeeded();
    for (let i = 0; i < 3; i++) fails();
    expect(circuit.wait()).toBe(1);
    now += 1_000;
    expect(circuit.wait()).toBe(0);
    expect(circuit.wait()).toBe(1); // one trial at a time
    circuit.failed();
    expect(circuit.wait()).toBe(2);
    now += 2_000;
    fails();
    expect(circuit.wait()).toBe(3);
    now += 3_000;
    fails();
    expect(circuit.wait()).toBe(3); // no longer than the longest
    now += 3_000;
    expect(circuit.wait()).toBe(0);
    circuit.withdrawn();
    expect(circuit.wait()).toBe(0);
    circuit.succeeded();
    fails();
    fails();
    expect(circuit.wait()).toBe(0);
  });

  it("spares an upstream that keeps failing, and notices when it is well again", async () => {
    let now = 1_000_000;
    const somewhere = upstream({ now: () => now });
    server.answer = replying(500, {});
    for (let i = 0; i < 10; i++) await unavailable(somewhere.ask(get));
    await unavailable(somewhere.ask(get));
    expect(server.requests).toHaveLength(10);
    server.answer = replying(200, {});
    now += 1_000;
    expect(await somewhere.ask(get)).toMatchObject({ status: 200 });
    expect(await somewhere.ask(get)).toMatchObject({ status: 200 });
  });
});

describe("a rate", () => {
  it("gives a burst, then so many a second", () => {
    let now = 0;
    const rate = requestRate({ burst: 2, perSecond: 4 }, () => now);
    expect([rate.take(), rate.take(), rate.take(), rate.take()]).toEqual([0, 0, 250, 500]);
    rate.giveBack();
    expect(rate.take()).toBe(500);
    now += 60_000;
    expect([rate.take(), rate.take(), rate.take()]).toEqual([0, 0, 250]);
  });

  it("is kept: who cannot wait is told when to come again", async () => {
    const somewhere = upstream({ rate: { burst: 1, perSecond: 0.1 } });
    await somewhere.ask(get);
    expect((await unavailable(somewhere.ask(get))).options.retryAfter).toBe(10);
    expect(server.requests).toHaveLength(1);
    const patient = upstream({ rate: { burst: 1, perSecond: 20 }, maxWaitMs: 1_000 });
    await Promise.all([patient.ask(get), patient.ask(get), patient.ask(get)]);
    expect(server.requests).toHaveLength(4);
  });
});
