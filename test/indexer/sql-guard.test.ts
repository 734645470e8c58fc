/** What the guard of the index's SQL lets through, and that its answer is bounded. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { type Context, Hono } from "hono";
import { describe, expect, it } from "vitest";
import { LONG, NEVER } from "../../harness/patience.ts";
import { PONDER_ROOT } from "../../indexer/preload/ponder-package.ts";
import { PONDER_LIMITS } from "../../indexer/preload/reader-limits.ts";
import { type IndexReaders, limitBody, limitQueries } from "../../src/api/limits.ts";
import { guarded, guardedParameter, Refusal } from "../../src/api/sql-guard.ts";
import { forAll } from "../support/for-all.ts";

const parameter = (sql: unknown, params: unknown = []) => JSON.stringify({ json: { sql, params } });

describe("queries", () => {
  it.each([
    'select "token_id", "updated_block" from "agent" where "name" = $1 order by "token_id" limit 5',
    "with a as (select * from agent) select count(*) from a",
    "select count(*) from agent where name = 'delete from pg_authid, it''s a name'",
    `select "a'b" from (select 1 as "a'b") x`,
  ])("%s is asked, as a part of one that bounds it", (sql) => {
    expect(guarded(sql, "x")).toBe(`select * from (\n${sql}\n) as answer limit 1000 /* x */`);
  });

  it.each([
    "",
    "delete from agent",
    "with gone as (delete from agent returning *) select * from gone",
    "select 1; drop table agent",
    "select 1) as answer; drop table agent --",
    "select 1 /* unending",
    "select pg_sleep(10)",
    'select "pg_sleep"(10)',
    `select "it's", pg_sleep(1), "isn't" from x`,
    "select E'\\', pg_sleep(1), '",
    'select U&"\\0070g_sleep"(1)',
    "select $a$'$a$, pg_sleep(1), $a$'$a$",
    "select * from pg_stat_activity",
    "select * from information_schema.tables",
    "select * from offchain.cred",
    'select * from "offchain"."cred"',
    "select * from onchain.agent",
    "select * from index_0123456789_0.agent",
    "select set_config('a', 'b', false)",
    "select * from generate_series(1, 1000000000)",
    "select * into copy_of from agent",
    "select * from agent for update",
    `select '${"x".repeat(4000)}'`,
  ])("%s is refused", (sql) => {
    expect(() => guarded(sql, "x")).toThrow(Refusal);
  });

  it("keep their place in the wire format; anything else is refused", () => {
    const sent = JSON.stringify({ json: { sql: "select $1", params: ["a"], typings: ["none"] }, meta: { values: {} } });
    expect(JSON.parse(guardedParameter(sent, "x", 7))).toEqual({
      asked: 7,
      json: { sql: guarded("select $1", "x"), params: ["a"], typings: ["none"] },
      meta: { values: {} },
    });
    for (const text of [
      undefined,
      "",
      "{",
      "null",
      "{}",
      parameter(7),
      parameter("select 1", "a"),
      parameter("select 1", [{}]),
    ])
      expect(() => guardedParameter(text, "x", 7), text).toThrow(Refusal);
  });

  it("of any text end in a refusal or in a bounded query", () =>
    forAll([fc.string({ unit: "binary" })], (text) => {
      for (const sql of [text, `select ${text}`]) {
        try {
          expect(guarded(sql, "x")).toMatch(/^select \* from \(\n[^;]*\n\) as answer limit 1000 \/\* x \*\/$/);
        } catch (error) {
          if (!(error instanceof Refusal)) throw error;
        }
      }
    }));
});

describe("limits", () => {
  const clientOf = (c: Context) => c.req.header("x-asker") ?? "somebody";
  const limits = { concurrent: 3, concurrentPerClient: 2, perMinute: 100, timeoutMs: LONG, clientOf };
  const plain: IndexReaders["run"] = (_ended, work) => work();
  const ask = (app: Hono, path: string, name?: string) =>
    app.request(path, name === undefined ? {} : { headers: { "x-asker": name } });

  it("bound the queries that run at once, in all and of one client, and do not count those that failed", async () => {
    const held = Promise.withResolvers<void>();
    const app = new Hono()
      .use(limitQueries({ ...limits, run: plain }))
      .get("/held", async (c) => {
        await held.promise;
        return c.text("done");
      })
      .get("/broken", () => {
        throw new Error("broken");
      })
      .onError((_, c) => c.text("broken", 500));
    for (let i = 0; i < 4; i++) expect((await ask(app, "/broken")).status).toBe(500);
    const running = [ask(app, "/held"), ask(app, "/held"), ask(app, "/held", "another")];
    const own = await ask(app, "/held");
    expect([own.status, own.headers.get("retry-after")]).toEqual([429, "1"]);
    const late = await ask(app, "/held", "a third");
    expect([late.status, late.headers.get("retry-after")]).toEqual([503, "1"]);
    held.resolve();
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await ask(app, "/held")).status).toBe(200);
  });

  it("bound the queries of one client in a minute", async () => {
    const app = new Hono().use(limitQueries({ ...limits, perMinute: 2, run: plain })).get("/", (c) => c.text("done"));
    for (const status of [200, 200, 429]) expect((await ask(app, "/")).status).toBe(status);
    expect((await ask(app, "/", "another")).status).toBe(200);
  });

  it("end a query after its time", async () => {
    const run: IndexReaders["run"] = async (ended, work) => {
      await new Promise((done) => ended.addEventListener("abort", done));
      expect(ended.reason.name).toBe("TimeoutError");
      return work();
    };
    const app = new Hono().use(limitQueries({ ...limits, timeoutMs: NEVER, run })).get("/", (c) => c.text("done"));
    expect((await ask(app, "/")).status).toBe(200);
  });

  it("refuse bodies that are too long or do not say how long they are", async () => {
    const app = new Hono().use(limitBody(10)).all("/", (c) => c.text("done"));
    const post = (length?: string) =>
      app.request("/", {
        method: "POST",
        body: "x",
        headers: length === undefined ? {} : { "content-length": length },
      });
    expect((await post("10")).status).toBe(200);
    for (const length of [undefined, "11", "x"]) expect((await post(length)).status).toBe(413);
    expect((await app.request("/")).status).toBe(200);
  });
});

it("Ponder opens a reader's connection with the words that are replaced by modest bounds", () => {
  const pool = readFileSync(join(PONDER_ROOT, "dist/esm/utils/pg.js"), "utf8");
  expect(pool).toContain(PONDER_LIMITS);
  const verdicts = readFileSync(join(PONDER_ROOT, "dist/esm/utils/sql-parse.js"), "utf8");
  expect(verdicts).toMatch(/^const ALLOW_CACHE = new Map\(\);$/m);
});
