/** The HTTP server itself: malformed requests, slow clients, big headers, and an end without broken answers. */
import { once } from "node:events";
import { Agent, request } from "node:http";
import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createApi } from "../../api/app.ts";
import { endpoint } from "../../api/endpoint.ts";
import { startServer } from "../../api/server.ts";
import { loadConfig } from "../../config/config.ts";
import { LONG, NEVER } from "../../harness/patience.ts";
import { healthyChain } from "../../harness/stub-chain.ts";
import { until } from "../../harness/until.ts";
import { wireApi } from "../../wiring/api.ts";
import { apiForFile, named, serverForTest, startApi } from "./support/api.ts";
import { throughProxy } from "./support/chains.ts";
import { parseRaw, raw } from "./support/raw.ts";

const api = apiForFile({}, { provoked: true });

describe("malformed requests", () => {
  it.each([
    ["no HTTP", "hello\r\n\r\n", 400],
    ["a bad version", "GET / HTTP/9.9\r\nHost: a\r\n\r\n", 400],
    ["no host", "GET /health HTTP/1.1\r\n\r\n", 400],
    ["a host that is none", "GET /health HTTP/1.1\r\nHost: a b\r\n\r\n", 400],
    ["a host with a path", "GET /health HTTP/1.1\r\nHost: a/../b\r\n\r\n", 400],
    ["a backslash", "GET /api\\v2 HTTP/1.1\r\nHost: a\r\n\r\n", 400],
    ["a space in the path", "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n", 400],
    ["a header without a name", "GET /health HTTP/1.1\r\nHost: a\r\n: x\r\n\r\n", 400],
    ["two lengths", "POST /api/v2/mint HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}", 400],
    [
      "length and chunks",
      "POST /api/v2/mint HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      400,
    ],
    ["33 KiB of headers", `GET /health HTTP/1.1\r\nHost: a\r\nX-Big: ${"x".repeat(33 * 1024)}\r\n\r\n`, 431],
    ["an unknown verb", "BREW / HTTP/1.1\r\nHost: a\r\n\r\n", 400],
  ])("%s", async (_, bytes, status) => {
    const { status: answered, head, body } = parseRaw(await raw(api.url, bytes));
    expect(answered).toBe(status);
    expect(body).toMatchObject({ code: expect.any(String), error: expect.any(String) });
    expect(head.toLowerCase()).toContain("content-type: application/json");
    expect(head).not.toMatch(/node|hono|express/i);
  });

  it.each([
    ["dots", "GET /api/v2/../../etc/passwd HTTP/1.1", 404],
    ["encoded dots", "GET /docs/%2e%2e%2fpackage.json HTTP/1.1", 404],
    ["encoded slashes", "GET /docs/..%2f..%2fpackage.json HTTP/1.1", 404],
    ["an absolute form", "GET http://other.test/health HTTP/1.1", 200],
    ["double slashes", "GET //health HTTP/1.1", 404],
    ["NUL encoded", "GET /api/v2/%00 HTTP/1.1", 404],
    ["bad percent", "GET /api/v2/%zz HTTP/1.1", 404],
    ["TRACE", "TRACE /health HTTP/1.1", 405],
    ["PATCH", "PATCH /health HTTP/1.1", 405],
  ])("odd but legal: %s", async (_, line, status) => {
    const answer = parseRaw(await raw(api.url, `${line}\r\nHost: a\r\nConnection: close\r\n\r\n`));
    expect(answer.status).toBe(status);
  });

  it("24 KiB of headers pass: credentials and payments add up", async () => {
    const { status } = await api.get("/health", {
      headers: { "x-siwa": "x".repeat(12_000), "x-payment": "y".repeat(12_000) },
    });
    expect(status).toBe(200);
  });
});

describe("slow clients", () => {
  it("that never finish their headers are cut off, and disturb nobody", async () => {
    const slow = Promise.all(
      Array.from({ length: 100 }, () => raw(api.url, "GET /health HTTP/1.1\r\nHost: a\r\nX-Slow: ")),
    );
    for (let i = 0; i < 20; i++) expect((await api.get("/health")).status).toBe(200);
    const answers = await slow;
    expect(new Set(answers.map((answer) => parseRaw(answer).status))).toEqual(new Set([408]));
  });
});

describe("connections", () => {
  const health = "GET /health HTTP/1.1\r\nHost: a\r\n\r\n";

  it("of one address are limited; others are accepted, and places come back", async () => {
    const server = await startServer(createApi(api.deps), { host: "127.0.0.1", port: 0, connectionsPerClient: 5 });
    const open = async (from: string) => {
      const socket = connect({ port: server.port, host: "127.0.0.1", localAddress: from });
      socket.on("error", () => {});
      socket.write(health);
      const answered = await new Promise<boolean>((resolve) => {
        socket.once("data", () => resolve(true));
        socket.once("close", () => resolve(false));
      });
      return { socket, answered };
    };
    const opened = await Promise.all(Array.from({ length: 20 }, () => open("127.0.0.1")));
    expect(opened.filter(({ answered }) => answered)).toHaveLength(5);
    const other = await open("127.0.0.2");
    expect(other.answered).toBe(true);
    for (const { socket } of opened) socket.destroy();
    await until("a place is free", async () => {
      const { socket, answered } = await open("127.0.0.1");
      socket.destroy();
      return answered;
    });
    other.socket.destroy();
    await server.stop();
  });

  it("through a proxy of our own are as many as it needs", async () => {
    const bind = { host: "127.0.0.1", port: 0, connectionsPerClient: 1, trustedProxies: ["127.0.0.0/8"] };
    const server = await startServer(createApi(api.deps), bind);
    const answers = await Promise.all([1, 2, 3].map(() => raw(server.url, health)));
    expect(answers.map((answer) => parseRaw(answer).status)).toEqual([200, 200, 200]);
    await server.stop();
  });

  it("end when their client does not take its answer", async () => {
    const large = endpoint({
      ...named("get", "/large"),
      responses: { 200: { description: "Large", type: "text/plain" } },
      handler: () => ({ status: 200, type: "text/plain", content: "x".repeat(32 * 2 ** 20) }),
    });
    const served = createApi(api.deps, [large]);
    const closed = Promise.withResolvers<void>();
    const listener: typeof served.listener = (incoming, outgoing) => {
      incoming.socket.once("close", closed.resolve);
      served.listener(incoming, outgoing);
    };
    const patience = { headersMs: LONG, requestMs: LONG, takeMs: NEVER };
    const server = await startServer({ ...served, listener }, { host: "127.0.0.1", port: 0 }, patience);
    const socket = connect(server.port, "127.0.0.1", () => socket.write("GET /large HTTP/1.1\r\nHost: a\r\n\r\n"));
    socket.on("error", () => {});
    await closed.promise;
    socket.destroy();
    await server.stop();
    // Whoever reads gets all of it.
    const patient = await serverForTest(served);
    expect((await (await fetch(`${patient.url}/large`)).text()).length).toBe(32 * 2 ** 20);
  });
});

describe("an API that starts while the database lets nobody in", () => {
  it("answers its status once the database is back, without a restart", async () => {
    const { line, url } = await throughProxy(api.database.url);
    await line.cut();
    const config = loadConfig(
      { DATABASE_URL: url, RPC_URL: "http://127.0.0.1:9", DATA_DIR: "/nonexistent", LOG_LEVEL: "silent" },
      { followStack: false },
    );
    const { value, close } = await wireApi(config);
    const server = await startServer(createApi({ ...value, chain: healthyChain() }), { host: "127.0.0.1", port: 0 });
    const get = async (path: string) => (await fetch(server.url + path)).status;
    expect(await get("/health")).toBe(200);
    expect([await get("/ready"), await get("/api/v2/status")]).toEqual([503, 503]);
    await line.mend();
    await until("it is ready", async () => (await get("/ready")) === 200);
    await until("its status is there", async () => (await get("/api/v2/status")) === 200);
    await server.stop();
    await close();
  });
});

describe("stopping", () => {
  it("finishes what is in flight, refuses new connections, and ends idle ones", async () => {
    let release = () => {};
    let entered = 0;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slow = endpoint({
      ...named("get", "/slow"),
      responses: { 200: { description: "Done", schema: z.object({ done: z.boolean() }) } },
      async handler(_, json) {
        entered++;
        await gate;
        return json({ done: true });
      },
    });
    const test = await startApi({ endpoints: [slow] });
    const agent = new Agent({ keepAlive: true });
    const get = (path: string) =>
      new Promise<{ status: number; connection: string | undefined }>((resolve, reject) => {
        request(`${test.url}${path}`, { agent }, (res) => {
          res.resume();
          res.on("end", () => resolve({ status: res.statusCode!, connection: res.headers.connection }));
        })
          .on("error", reject)
          .end();
      });
    // Two keep-alive connections: one goes on with a request that takes long, the other stays idle.
    for (const answer of await Promise.all([get("/nothing"), get("/nothing")]))
      expect(answer).toMatchObject({ status: 404, connection: "keep-alive" });
    // As a browser opens one ahead.
    const silent = connect(test.server.port, "127.0.0.1");
    await once(silent, "connect");
    const inFlight = get("/slow");
    await until("the request is in flight", () => entered === 1);
    const stopped = test.server.stop();
    // A keep-alive client that sends at just that moment is still answered, and told to leave.
    expect(await get("/nothing")).toMatchObject({ status: 404, connection: "close" });
    await once(silent, "close");
    release();
    expect(await inFlight).toMatchObject({ status: 200 });
    await stopped;
    await expect(fetch(`${test.url}/nothing`)).rejects.toThrow();
    agent.destroy();
    await test.deps.index.close();
    await test.deps.db.end();
    await test.database.drop();
  });
});
