/** GraphQL and SQL by API key: who may ask, what is handed on, and how the indexer's refusals are told. */
import { text } from "node:stream/consumers";
import { afterEach, describe, expect, it } from "vitest";
import { openIndexQueries } from "../../clients/index-queries.ts";
import type { KeyScope } from "../../db/callers/api-keys.ts";
import { listen } from "../../harness/listen.ts";
import { until } from "../../harness/until.ts";
import { perFile } from "../support/started.ts";
import { apiForFile, apiForTest, refusal, type TestApi } from "./support/api.ts";
import { plantApiKey } from "./support/plants.ts";

/** Stands in for the indexer: answers as `answer` says, in Ponder's own words and statuses. */
const indexer = perFile(() =>
  listen(async (request, response) => {
    response.once("close", () => void (response.writableFinished || left++));
    const from = request.headers["x-forwarded-for"]?.toString();
    seen.push({ method: request.method!, url: request.url!, from, body: await text(request) });
    if (answer !== "never") response.writeHead(answer.status, answer.headers).end(answer.body);
  }),
);
const queries = perFile(() => openIndexQueries(indexer.url));
type Seen = { method: string; url: string; from: string | undefined; body: string };
let seen: Seen[] = [];
let left = 0;
type Answer = { status: number; body: string; headers?: Record<string, string> } | "never";
let answer: Answer;
const ROWS: Answer = { status: 200, body: '{"rows":[{"agents":"3"}]}' };

const api = apiForFile(() => ({ deps: { indexQueries: queries }, env: { TRUSTED_PROXIES: "127.0.0.1" } }));
afterEach(() => {
  seen = [];
  left = 0;
  answer = ROWS;
});
answer = ROWS;

let keys = 0;
async function newKey(scopes: KeyScope[] = ["index:read"]): Promise<string> {
  const id = `indexkey${"abcdefgh"[keys >> 3]}${"abcdefgh"[keys++ & 7]}`;
  return plantApiKey(api.pool, id, scopes);
}
const wire = (sql: string) => JSON.stringify({ json: { sql, params: [], typings: [] } });
const sqlPath = (sql: string) => `/api/v2/sql/db?${new URLSearchParams({ sql: wire(sql) })}`;
const asked = (key: string | undefined, sql = "select count(*) as agents from agent", init: RequestInit = {}) =>
  api.get(sqlPath(sql), { ...init, headers: { ...(key && { "x-api-key": key }), ...init.headers } });
const graphql = (key: string | undefined, body: object) =>
  api.write("POST", "/api/v2/graphql", body, { ...(key && { "x-api-key": key }) });

describe("a query of the index", () => {
  it("is for keys of its scope only, and no other reaches the indexer", async () => {
    const others = await Promise.all([newKey(["sessions:write", "read"]), newKey(["queues:read"])]);
    for (const key of [undefined, ...others, "ak_nobodynobo_".padEnd(57, "x")]) {
      expect((await asked(key)).status, key).toBe(401);
      expect((await graphql(key, { query: "{ agents { totalCount } }" })).status, key).toBe(401);
    }
    expect(seen).toEqual([]);
  });

  it("is handed on as it is, with its client's address, and its answer comes back as it is", async () => {
    const key = await newKey();
    const client = { headers: { "x-forwarded-for": "203.0.113.9" } };
    expect(await asked(key, "select 'a b'", client)).toMatchObject({ status: 200, text: ROWS.body });
    answer = { status: 200, body: '{"data":null,"errors":[{"message":"Syntax Error"}]}' };
    const failed = await graphql(key, { query: "{", variables: { a: 1 }, operationName: "x" });
    expect(failed).toMatchObject({ status: 200, body: { data: null, errors: [{ message: "Syntax Error" }] } });
    expect(failed.headers.get("ratelimit-policy")).toContain('"index-queries"');
    expect(seen).toEqual([
      {
        method: "GET",
        url: `/sql/db?${new URLSearchParams({ sql: wire("select 'a b'") })}`,
        from: "203.0.113.9",
        body: "",
      },
      {
        method: "POST",
        url: "/graphql",
        from: "127.0.0.1",
        body: '{"query":"{","variables":{"a":1},"operationName":"x"}',
      },
    ]);
  });

  it.each<[what: string, answer: Answer, status: number, code: string, says: RegExp]>([
    [
      "is refused",
      { status: 400, body: "Only SELECT is understood." },
      400,
      "invalid_input",
      /^Only SELECT is understood\.$/,
    ],
    ["fails", { status: 500, body: "division by zero" }, 400, "invalid_input", /^division by zero$/],
    ["takes too long", { status: 500, body: "The query took too long." }, 504, "timeout", /took too long/],
    [
      "finds no place",
      { status: 503, body: "Too many queries are running.", headers: { "retry-after": "1" } },
      503,
      "overloaded",
      /^Too many/,
    ],
    [
      "is one too many",
      { status: 429, body: "At most 240 queries a minute.", headers: { "retry-after": "7" } },
      429,
      "rate_limited",
      /^At most 240/,
    ],
    [
      "meets a lost database",
      { status: 500, body: "Connection terminated unexpectedly" },
      503,
      "upstream_unavailable",
      /^The indexer cannot be asked/,
    ],
    ["meets a page", { status: 502, body: "<html>Bad gateway" }, 503, "upstream_unavailable", /^The indexer cannot/],
    ["answers too long", { status: 200, body: " ".repeat(25_000_000) }, 400, "invalid_input", /larger than 24 MB/],
  ])("that %s is told so in the service's own shape", async (_, given, status, code, says) => {
    const key = await newKey();
    answer = given;
    const { status: told, body, headers } = await asked(key);
    expect(told).toBe(status);
    expect(body).toMatchObject({ code, error: expect.stringMatching(says), requestId: expect.any(String) });
    if (given !== "never" && given.headers) expect(headers.get("retry-after")).toBe(given.headers["retry-after"]);
  });

  it("has two places for each key, and ends at the indexer with its request", () =>
    api.atOne(async () => {
      const [key, other] = [await newKey(), await newKey()];
      answer = "never";
      const leaving = new AbortController();
      const running = [1, 2].map(() => asked(key, "select 1", { signal: leaving.signal }).catch(() => null));
      await until("both are at the indexer", () => Promise.resolve(seen.length === 2));
      expect(await asked(key)).toMatchObject(refusal(429, "rate_limited"));
      answer = ROWS;
      expect((await asked(other)).status).toBe(200);
      leaving.abort();
      await Promise.all(running);
      await until("both have ended at the indexer", () => Promise.resolve(left === 2));
      await until("the places are free", async () => (await asked(key)).status === 200);
    }));

  it("is bounded in length", async () => {
    const key = await newKey();
    expect(await graphql(key, { query: "x".repeat(16_385) })).toMatchObject({ status: 400 });
    const variables = { a: "x".repeat(20_000) };
    expect(await graphql(key, { query: "{ a }", variables })).toMatchObject({ status: 413 });
    expect(seen).toEqual([]);
  });
});

it("the schema is anybody's, as the indexer prints it, read once; without an indexer there is none", async () => {
  const path = "/api/v2/graphql/schema.graphql";
  answer = { status: 502, body: "<html>Bad gateway" };
  expect(await api.get(path)).toMatchObject(refusal(503, "upstream_unavailable"));
  seen.length = 0;
  answer = { status: 200, body: "type Query {\n  agents: Int\n}" };
  const { status, text: schema, headers } = await api.get(path);
  expect([status, schema, headers.get("content-type")]).toEqual([200, answer.body, "text/plain; charset=utf-8"]);
  expect((await api.get(path)).status).toBe(200);
  expect(seen).toMatchObject([{ method: "GET", url: "/graphql/schema", body: "" }]);
  const none = await apiForTest({ alone: true });
  expect((await none.get(path)).status).toBe(404);
});

it("queries are counted for each key, and there are none where the indexer is not configured", async () => {
  const few = await apiForTest({
    deps: { indexQueries: queries },
    env: { LIMITS: "index-queries=3" },
    alone: true,
  });
  const none = await apiForTest({ alone: true });
  const [key] = await Promise.all(
    [few, none].map(({ database }) => plantApiKey(database.pool, "aaaaaaaaaa", ["index:read"])),
  );
  const ask = async (of: TestApi) => (await of.get(sqlPath("select 1"), { headers: { "x-api-key": key } })).status;
  expect([await ask(few), await ask(few), await ask(few), await ask(few)]).toEqual([200, 200, 200, 429]);
  expect(await ask(none)).toBe(404);
});

it("live queries are none of the paths", async () => {
  const key = await newKey();
  expect((await api.get("/api/v2/sql/live?sql=%7B%7D", { headers: { "x-api-key": key } })).status).toBe(404);
});
