/** The conventions every operation shares: headers, verbs, parameters, validators, the indexed block. */
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { endpoint } from "../../api/endpoint.ts";
import { ENDPOINTS } from "../../api/routes/index.ts";
import { readySchema } from "../../api/schemas/service.ts";
import { openPool } from "../../db/sql/connect.ts";
import { agentWallet } from "../../harness/agent-wallet.ts";
import { plantCheckpoint } from "../../harness/onchain.ts";
import { LONG, NEVER } from "../../harness/patience.ts";
import { until } from "../../harness/until.ts";
import { answering, apiForFile, apiForTest, HOST, named, refusal, startApi } from "./support/api.ts";
import { throughProxy } from "./support/chains.ts";

const api = apiForFile();

const SAMPLE: Record<string, string> = {
  groupId: "nothing",
  ref: "7",
  id: "7",
  name: "atlas",
  mintId: "0b0e2c2e-4b1f-4f0e-9a52-2f6a3f1f5d11",
  file: "start.js",
};
const pathOf = (template: string) => template.replaceAll(/\{(\w+)\}/g, (_, name) => SAMPLE[name] ?? "x");
const everyPath = [...new Set(ENDPOINTS.map(({ path }) => pathOf(path)))];

describe("headers", () => {
  it.each([...everyPath, "/nothing"])("of GET %s are complete", async (path) => {
    const { headers } = await api.get(path);
    expect(Object.fromEntries(headers)).toMatchObject({
      "x-request-id": expect.stringMatching(/^[0-9a-f-]{36}$/),
      "x-api-version": "2.0.0",
      "access-control-allow-origin": "*",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      // Other hosts of the operator's domain are not the service's to decide.
      "strict-transport-security": "max-age=31536000",
      "cache-control": expect.any(String),
    });
    expect(headers.has("access-control-allow-credentials")).toBe(false);
    expect(headers.has("server")).toBe(false);
    expect(headers.has("x-powered-by")).toBe(false);
    if (headers.get("content-type")?.includes("json"))
      expect(headers.get("content-security-policy")).toMatch(/^default-src 'none'/);
    const exposed = headers.get("access-control-expose-headers")?.split(", ");
    const told = ["ETag", "Retry-After", "X-Request-Id", "X-Indexed-Block", "PAYMENT-REQUIRED", "Payment-Receipt", "*"];
    expect(exposed).toEqual(expect.arrayContaining(told));
  });

  it("promise https only when the public URL is https", async () => {
    const local = await apiForTest({ env: { PUBLIC_URL: "http://localhost:4000" }, endpoints: [] });
    const { headers } = await local.get("/");
    expect(headers.has("strict-transport-security")).toBe(false);
  });

  it("echo a usable request id and replace any other", async () => {
    const given = async (id: string) =>
      (await api.get("/health", { headers: { "x-request-id": id } })).headers.get("x-request-id");
    expect(await given("trace-0123456789")).toBe("trace-0123456789");
    expect(await given("short")).toMatch(/^[0-9a-f-]{36}$/);
    expect(await given(`a${"b".repeat(64)}`)).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe("verbs", () => {
  it.each(everyPath)("other than its own are 405 with Allow at %s", async (path) => {
    const answer = await api.send("PATCH", path);
    expect(answer).toMatchObject(refusal(405, "method_not_allowed"));
    const methods = ENDPOINTS.filter((e) => pathOf(e.path) === path).map((e) => e.method.toUpperCase());
    for (const method of methods) expect(answer.headers.get("allow")?.split(", ")).toContain(method);
  });

  it("HEAD answers like GET without a body", async () => {
    for (const path of ["/health", "/api/v2", "/api/v2/stats", "/nothing"]) {
      const [get, head] = [await api.get(path), await api.send("HEAD", path)];
      expect(head.status).toBe(get.status);
      expect(head.text).toBe("");
      for (const name of ["content-type", "etag", "cache-control", "x-indexed-block"])
        expect([name, head.headers.get(name)]).toEqual([name, get.headers.get(name)]);
    }
  });

  it("HEAD never runs what writes", async () => {
    const readable = new Set(ENDPOINTS.filter(({ method }) => method === "get").map(({ path }) => path));
    for (const { path } of ENDPOINTS.filter(({ path }) => !readable.has(path)))
      expect((await api.send("HEAD", pathOf(path))).status).toBe(405);
  });

  it("OPTIONS answers preflights for any origin, without credentials", async () => {
    const { status, headers, text } = await api.send("OPTIONS", "/api/v2/mint", {
      headers: { origin: "https://somewhere.test", "access-control-request-method": "POST" },
    });
    expect({ status, text }).toEqual({ status: 204, text: "" });
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(headers.get("access-control-allow-methods")).toContain("POST");
    const sent = [
      ...["Authorization", "X-SIWA", "Idempotency-Key", "PAYMENT-SIGNATURE", "X-Payment-Tx", "X-API-Key"],
      ...["Content-Type", "Access-Control-Expose-Headers", "Payment-Identifier", "A2A-Version", "A2A-Extensions", "*"],
    ];
    expect(headers.get("access-control-allow-headers")?.split(", ")).toEqual(expect.arrayContaining(sent));
    expect(headers.has("access-control-allow-credentials")).toBe(false);
  });
});

describe("a path that nothing is at", () => {
  const hintOf = async (method: string, path: string) => {
    const { status, body } = await api.send(method, path);
    expect([status, body.code]).toEqual([404, "not_found"]);
    return (body as { hint?: string }).hint;
  };

  it.each([
    ["GET", "/api/v2/agent", "Did you mean GET /api/v2/agents or GET /api/v2/agent/{ref}?"],
    ["GET", "/api/v2/agents/7", "Did you mean GET /api/v2/agent/{ref}?"],
    ["GET", "/api/v2/agents/7/credreport", "Did you mean GET /api/v2/agent/{ref}/cred-report?"],
    ["GET", "/api/v2/agnets", "Did you mean GET /api/v2/agents?"],
    ["GET", "/api/v1/agents", "Did you mean GET /api/v2/agents?"],
    ["GET", "/agents", "Did you mean GET /api/v2/agents or GET /api/terminal/agents?"],
    ["GET", "/api/v2/agents//", "Did you mean GET /api/v2/agents?"],
    ["GET", "/api/v2/leaderbord", "Did you mean GET /api/v2/leaderboard?"],
    ["POST", "/api/v2/mnt", "Did you mean POST /api/v2/mint?"],
    ["GET", "/healthz", "Did you mean GET /health?"],
    ["DELETE", "/api/v2/webhook/wh_1", "Did you mean DELETE /api/v2/webhooks/{webhookId}?"],
    ["GET", "/wp-admin/setup-config.php", "GET /api/v2 lists what there is."],
  ])("%s %s names the nearest", async (method, path, hint) => {
    expect(await hintOf(method, path)).toBe(hint);
  });

  it.each(ENDPOINTS.filter(({ path }) => path !== "/").map(({ method, path }) => [method.toUpperCase(), path]))(
    "%s %s is named to who writes it in other letters",
    async (method, path) => {
      const loud = path.replaceAll(/[^/{}]+|\{\w+\}/g, (part) =>
        part.startsWith("{") ? "7" : part.toUpperCase().replaceAll("-", "_"),
      );
      expect(await hintOf(method!, `${loud}//`)).toContain(`${method} ${path}`);
    },
  );

  it("is not compared when it is longer or deeper than any of ours", async () => {
    const lost = "GET /api/v2 lists what there is.";
    for (const path of [
      `/api/v2/agents${"/a".repeat(4_000)}`,
      `/api/v2/agents${"s".repeat(8_000)}`,
      `/${"/".repeat(8_000)}`,
    ])
      expect(await hintOf("GET", path)).toBe(lost);
  });
});

describe("parameters", () => {
  it("that are unknown are ignored and named, safely", async () => {
    const ignored = async (query: string) => (await api.get(`/api/v2/stats?${query}`)).headers.get("x-ignored-params");
    expect(await ignored("")).toBeNull();
    expect(await ignored("minBlock=5")).toBeNull();
    expect(await ignored("utm_source=x&minBlock=5&__proto__=1")).toBe("utm_source, __proto__");
    expect(await ignored("a%0d%0aSet-Cookie:%20x=1&%F0%9F%A4%96=2&%zz=3")).toBe(
      "a%0D%0ASet-Cookie%3A%20x, %F0%9F%A4%96, %25zz",
    );
    expect((await ignored(Array.from({ length: 500 }, (_, i) => `p${i}`).join("&")))?.split(", ")).toHaveLength(10);
  });

  it("that are known may be given once", async () => {
    expect(await api.get("/api/v2/stats?minBlock=1&minBlock=1")).toMatchObject(
      refusal(400, "invalid_input", { details: [{ path: "minBlock", message: "may be given once" }] }),
    );
  });

  it.each(["-1", "1.5", "1e3", "0x10", "abc", "9007199254740993", "99999999999999999999", "%00", "%ff", "01"])(
    "minBlock=%s is 400",
    async (value) => {
      expect(await api.get(`/api/v2/stats?minBlock=${value}`)).toMatchObject(
        refusal(400, "invalid_input", { details: [{ path: "minBlock" }] }),
      );
    },
  );
});

describe("nothing, said in any way", () => {
  it.each(["limit=", "limit=&offset=", "search=", "verified=", "minBlock="])(
    "an empty value of the query is the default: %s",
    async (query) => {
      const plain = await api.get("/api/v2/agents");
      const { status, body } = await api.get(`/api/v2/agents?${query}`);
      expect([status, body.agents]).toEqual([200, plain.body.agents]);
    },
  );

  it.each([
    ["verified=1", "verified=true"],
    ["verified=0", "verified=false"],
    ["verified=TRUE", "verified=true"],
  ])("a flag %s is %s", async (written, plain) => {
    const answers = await Promise.all([written, plain].map((query) => api.get(`/api/v2/agents?${query}`)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers[0]!.body.agents).toEqual(answers[1]!.body.agents);
  });

  it.each(["/api/v2/agents/?limit=1", "/health/"])("a slash at the end is the path: %s", async (path) => {
    const plain = await api.get(path.replace(/\/(?=\?|$)/, ""));
    expect(await api.get(path)).toMatchObject({ status: 200, body: plain.body });
  });

  it("a write with a slash at the end is sent to the path itself, at this host", async () => {
    const { status, headers } = await api.send("POST", "/api/v2/mint/?a=b", { redirect: "manual" });
    expect([status, headers.get("location")]).toEqual([308, "/api/v2/mint?a=b"]);
    for (const path of ["//evil.example/", "/api//"])
      expect((await api.send("POST", path, { redirect: "manual" })).headers.get("location")).toBeNull();
  });
});

describe("validators", () => {
  it("answer 304 to the client's current representation, and 200 to any other", async () => {
    const uncompressed = { "accept-encoding": "identity" };
    const first = await api.get("/api/v2", { headers: uncompressed });
    const etag = first.headers.get("etag")!;
    expect(etag).toMatch(/^"[\w-]+"$/);
    const again = (value: string) => api.get("/api/v2", { headers: { ...uncompressed, "if-none-match": value } });
    for (const value of [etag, `W/${etag}`, `"x", ${etag}`, "*"]) {
      const { status, text, headers } = await again(value);
      expect({ status, text, etag: headers.get("etag") }).toEqual({ status: 304, text: "", etag });
      expect(headers.get("cache-control")).toBe(first.headers.get("cache-control"));
    }
    expect((await again('"other"')).status).toBe(200);
  });

  it("are on every public GET that succeeds, with a Cache-Control", async () => {
    for (const { path, stream = false, sliced = false } of ENDPOINTS.filter(
      (e) => e.method === "get" && e.guard.caller === "anyone",
    )) {
      const { status, headers } = await api.get(pathOf(path));
      if (status === 200)
        expect([path, headers.has("etag"), headers.has("cache-control")]).toEqual([path, !stream && !sliced, true]);
      else expect(headers.get("cache-control")).toBe("no-store");
    }
  });
});

describe("the indexed block", () => {
  it("is on data routes, and minBlock waits for it", async () => {
    const reads = api.get("/api/v2/stats?minBlock=1003");
    await plantCheckpoint(api.pool, { block: 1003, finalized: 900 });
    const { status, headers } = await reads;
    expect({ status, block: headers.get("x-indexed-block") }).toEqual({ status: 200, block: "1003" });
  });

  it("that does not come within 5 s is 503 indexer_behind", async () => {
    const started = performance.now();
    const { status, body, headers } = await api.get("/api/v2/stats?minBlock=99999999");
    expect({ status, code: body.code, has: headers.has("retry-after") }).toEqual({
      status: 503,
      code: "indexer_behind",
      has: true,
    });
    expect(performance.now() - started).toBeGreaterThan(4_900);
  });

  it("is 503 for an agent registered here until its block is indexed, then 404", async () => {
    const wallet = agentWallet({ host: HOST });
    const rival = agentWallet({ host: HOST });
    for (const [{ address }, tokenId, state] of [
      [wallet, 777, "minted"],
      [rival, 778, "failed"],
    ] as const)
      await api.plant("mint", { wallet: address.toLowerCase(), state, token_id: tokenId, block: 2000 });
    const asked = async () => {
      const reads = [
        `agent/${wallet.address}`,
        "agent/777",
        "agent/777/cred",
        "agent/777/referral",
        "agent/777/cred/history",
      ];
      const answers = [
        ...reads.map((path) => api.get(`/api/v2/${path}`)),
        api.postAs(wallet, "/api/v2/agent/777/verify"),
        api.get(`/api/v2/agent/${rival.address}`),
        api.get("/api/v2/agent/779"),
      ];
      return (await Promise.all(answers)).map(({ status, body }) => `${status} ${body.code}`);
    };
    const missing = Array(2).fill("404 not_found");
    expect(await asked()).toEqual([...Array(6).fill("503 indexer_behind"), ...missing]);
    await plantCheckpoint(api.pool, { block: 2000, finalized: 900 });
    await until("the block is there", () => api.deps.index.block === 2000);
    expect(await asked()).toEqual([...Array(6).fill("404 not_found"), ...missing]);
  });

  it("comes with the reason while the index is known to be stale, and /ready says so", async () => {
    await api.sql("update onchain.index_state set stale = true, reason = 'a reorg — deeper than finality'");
    await api.deps.index.refresh();
    const { status, headers } = await api.get("/api/v2/stats");
    expect({ status, stale: headers.get("x-index-stale") }).toEqual({
      status: 200,
      stale: "a reorg   deeper than finality",
    });
    const staleTag = { "if-none-match": headers.get("etag")! };
    expect((await api.get("/api/v2/stats", { headers: staleTag })).status).toBe(304);
    expect(await api.get("/ready")).toMatchObject(answering(503, { ready: false, checks: { index: { ok: false } } }));
    await api.sql("update onchain.index_state set stale = false, reason = null");
    await api.deps.index.refresh();
    expect((await api.get("/ready")).status).toBe(200);
    // A 304 would leave the reason in the client's cache.
    expect((await api.get("/api/v2/stats", { headers: staleTag })).status).toBe(200);
  });

  it("is served while something is missing from the index, and /ready and /status say what", async () => {
    await api.sql("update onchain.index_state set reason = 'an agent is missing'");
    await api.deps.index.refresh();
    expect((await api.get("/api/v2/stats")).headers.get("x-index-stale")).toBeNull();
    expect(await api.get("/ready")).toMatchObject(
      answering(200, { ready: true, checks: { index: { ok: true, message: "an agent is missing" } } }),
    );
    expect((await api.get("/api/v2/status")).body).toMatchObject({
      chain: { synced: false, difference: "an agent is missing" },
    });
    await api.sql("update onchain.index_state set reason = null");
    await api.deps.index.refresh();
    expect((await api.get("/api/v2/status")).body).toMatchObject({ chain: { difference: null } });
  });

  it("is served while a queue stands, and /ready names the queue", async () => {
    await api.plant("job_run", { name: "market-data", next_run_at: new Date(Date.now() - 600_000) });
    const told = async () => {
      const { status, body } = await api.get("/ready");
      return { status, ...readySchema.parse(body) };
    };
    await until("it is told", async () => (await told()).checks.queues.ok === false);
    const message = expect.stringMatching(/^Work is due .* s: market-data\.$/);
    expect(await told()).toMatchObject({ status: 200, ready: true, checks: { queues: { message } } });
    await api.sql("delete from offchain.job_run");
    await until("it moves again", async () => (await told()).checks.queues.ok);
  });

  it("is not there before the first index: data routes are 503, the rest answers", async () => {
    const young = await apiForTest({ indexed: false });
    expect(await young.get("/api/v2/stats")).toMatchObject(refusal(503, "indexer_behind"));
    expect((await young.get("/health")).status).toBe(200);
    expect((await young.get("/api/v2")).status).toBe(200);
    expect((await young.get("/api/v2/status")).status).toBe(200);
    expect((await young.get("/ready")).status).toBe(503);
  });
});

describe("trouble of our own", () => {
  const broken = (handler: () => never) =>
    endpoint({
      ...named("get", "/broken"),
      responses: { 200: { description: "Never", schema: z.object({}) } },
      handler,
    });

  it("is a 500 without a stack, a path or a library's words, and is logged with its request id", async () => {
    const test = await apiForTest({ endpoints: [broken(() => JSON.parse("/root/secret") as never)] });
    const { status, body, text, headers } = await test.get("/broken");
    expect({ status, code: body.code }).toEqual({ status: 500, code: "internal" });
    expect(text).not.toMatch(/secret|JSON|Unexpected|\.ts|node_modules/);
    expect(body.requestId).toBe(headers.get("x-request-id"));
    expect(test.errors).toHaveLength(1);
  });

  it("of a database that is away is 503 and ends with it", async () => {
    const { line, url } = await throughProxy(api.database.url);
    const open = async (connectionTimeoutMillis: number) => {
      const db = openPool({ connectionString: url, connectionTimeoutMillis, statement_timeout: LONG });
      return { db, test: await startApi({ deps: { db } }) };
    };
    const [patient, hasty] = [await open(LONG), await open(NEVER)];
    const read = async ({ test }: typeof patient) => {
      const { status, body } = await test.get("/api/v2/leaderboard");
      return { status, code: body.code };
    };
    const away = { status: 503, code: "upstream_unavailable" };
    expect((await read(patient)).status).toBe(200);
    await line.cut();
    expect(await read(patient)).toEqual(away);
    await line.mend();
    expect((await read(patient)).status).toBe(200);
    await line.cut();
    await line.mend();
    line.be({ kind: "silent" });
    expect(await read(hasty)).toEqual(away);
    await line.cut();
    await line.mend();
    await until("the database is back", async () => (await read(patient)).status === 200);
    for (const { db, test } of [patient, hasty]) {
      expect(test.errors).toEqual([]);
      await test.close();
      await db.end();
    }
  });

  it("with the database is told by /ready as reads tell it: away, and not merely busy", async () => {
    const { line, url } = await throughProxy(api.database.url);
    const db = openPool({ connectionString: url, max: 2, turnMs: LONG, connectionTimeoutMillis: LONG });
    // The tracker of the index has a connection of its own, which stays.
    const test = await apiForTest({ deps: { db } });
    const statuses = async () => [(await test.get("/ready")).status, (await test.get("/api/v2/leaderboard")).status];
    expect(await statuses()).toEqual([200, 200]);
    await line.cut();
    expect(await statuses()).toEqual([503, 503]);
    await line.mend();
    await until("both are back", async () => String(await statuses()) === "200,200");
    // All connections are in use and answer: what comes waits, and is served.
    const held = await Promise.all([db.connect(), db.connect()]);
    const ready = test.get("/ready");
    const read = test.get("/api/v2/leaderboard");
    await until("both wait", () => db.waitingCount >= 2);
    let told: number | undefined;
    void ready.then(({ status }) => (told = status));
    while (told === undefined) await held[0]!.query("select pg_sleep(0.05)");
    expect(told).toBe(200);
    for (const client of held) client.release();
    expect((await read).status).toBe(200);
    await db.end();
  });

  it("with time is 504", async () => {
    const db = openPool({ connectionString: api.database.url, statement_timeout: NEVER });
    const slow = endpoint({
      ...named("get", "/slow"),
      responses: { 200: { description: "Never", schema: z.object({}) } },
      errors: ["timeout"],
      handler: async ({ deps }, json) => json((await deps.db.query("select pg_sleep(600)")).rows[0]),
    });
    const test = await apiForTest({ endpoints: [slow], deps: { db } });
    expect(await test.get("/slow")).toMatchObject(refusal(504, "timeout"));
    await db.end();
  });
});
