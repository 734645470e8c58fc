/** GraphQL and SQL over the running index, as Ponder offers them: what can be asked, and what cannot. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../../free-port.ts";
import { type IndexWorld, indexWorld, someone } from "../support/index-world.ts";
import { until } from "../support/until.ts";

let world: IndexWorld;
let url: string;
beforeAll(async () => {
  world = await indexWorld();
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  world.startIndexer({ env: { INDEXER_PORT: String(port) } });
  for (let i = 0; i < 3; i++) await world.mint(someone(i), `Agent ${i}`);
  await world.settle();
  await until("SQL sees the last agent", async () => (await sql("select token_id from agent")).rows?.length === 3);
});
afterAll(() => world?.close());

type Row = Record<string, unknown>;

/** As @ponder/client sends it: superjson of the query in the parameter sql. */
async function sql(
  text: string,
  params: unknown[] = [],
  method = "POST",
): Promise<{ status: number; text: string; rows?: Row[] }> {
  const query = JSON.stringify({ json: { sql: text, params, typings: params.map(() => "none") } });
  const response = await fetch(`${url}/sql/db?${new URLSearchParams({ sql: query })}`, { method });
  const answer = await response.text();
  return { status: response.status, text: answer, ...(response.ok && { rows: JSON.parse(answer).rows }) };
}

type GraphqlAnswer = { data?: Record<string, unknown> | null; errors?: { message: string }[] };
async function graphql(query: string): Promise<{ status: number } & GraphqlAnswer> {
  const response = await fetch(`${url}/graphql`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ query }),
  });
  return { status: response.status, ...((await response.json()) as GraphqlAnswer) };
}

describe("GraphQL", () => {
  it("answers what the index holds", async () => {
    const { data, errors } = await graphql(
      `{ agents(where: { tokenId_gte: 1 }, orderBy: "tokenId", orderDirection: "desc", limit: 2) { items { tokenId name owner } totalCount } }`,
    );
    expect(errors).toBeUndefined();
    expect(data).toEqual({
      agents: {
        items: [2, 1].map((id) => ({ tokenId: id, name: `Agent ${id}`, owner: someone(id) })),
        totalCount: 2,
      },
    });
  });

  it("is bounded, and writes nothing", async () => {
    for (const query of [
      "{ agents(limit: 1001) { items { tokenId } } }",
      "mutation { __typename }",
      `{ ${Array.from({ length: 11 }, (_, i) => `a${i}: agents { totalCount }`).join(" ")} }`,
      `{ agents { items { ${"name ".repeat(700)} } } }`,
    ]) {
      const { data, errors } = await graphql(query);
      expect([errors?.length, data?.agents ?? null], query.slice(0, 60)).toEqual([1, null]);
    }
    const long = await fetch(`${url}/graphql`, { method: "POST", body: "x".repeat(20_000) });
    expect(long.status).toBe(413);
  });
});

describe("SQL", () => {
  it("answers a query with parameters, in its order", async () => {
    for (const method of ["POST", "GET"]) {
      const query = 'select "token_id", "name" from "agent" where "token_id" >= $1 order by "token_id" desc';
      const { status, rows } = await sql(query, [1], method);
      expect(status).toBe(200);
      expect(rows).toEqual([
        { token_id: "2", name: "Agent 2" },
        { token_id: "1", name: "Agent 1" },
      ]);
    }
  });

  it("gives a thousand rows at most", async () => {
    const six = (n: number) => Array.from({ length: n }, (_, i) => `agent a${i}`).join(" cross join ");
    const { rows } = await sql(`select a0.token_id from ${six(7)}`);
    expect(rows).toHaveLength(1000);
  });

  it.each([
    "delete from agent",
    "with gone as (delete from agent returning *) select * from gone",
    "select 1; delete from agent",
    "select * from offchain.cred",
    "select * from onchain.agent",
    "select * from pg_stat_activity",
    "select * from pg_authid",
    "select pg_sleep(1)",
    "select pg_read_file('/etc/passwd')",
    "select pg_terminate_backend(1)",
    "select current_setting('data_directory')",
    "with recursive r as (select 1 as n union all select n + 1 from r) select count(*) from r",
    "select * from generate_series(1, 1000000)",
    "select lpad('x', 1000000000)",
    "select * from nothing",
    "select 1 from",
  ])("refuses %s", async (query) => {
    const { status, rows } = await sql(query);
    expect([status >= 400, rows]).toEqual([true, undefined]);
  });

  it("has no live queries, and no other paths", async () => {
    for (const path of ["/sql/live?sql=%7B%7D", "/sql", "/sql/", "/sql/other"])
      expect((await fetch(url + path)).status, path).toBe(404);
    expect((await fetch(`${url}/sql/db`)).status).toBe(400);
  });

  it("has changed nothing in all that", async () => {
    expect((await sql("select count(*) as agents from agent")).rows).toEqual([{ agents: "3" }]);
    expect(await world.rows("select count(*)::int as agents from onchain.agent")).toEqual([{ agents: 3 }]);
  });
});
