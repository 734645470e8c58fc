/** GraphQL and SQL over the running index, as Ponder offers them: what can be asked, and what cannot. */
import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../../free-port.ts";
import { type IndexerProcess, type IndexWorld, indexWorld, someone } from "../support/index-world.ts";
import { until } from "../support/until.ts";

let world: IndexWorld;
let url: string;
let indexer: IndexerProcess;
beforeAll(async () => {
  world = await indexWorld();
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  indexer = world.startIndexer({ env: { INDEXER_PORT: String(port) } });
  for (let i = 0; i < 3; i++) await world.mint(someone(i), `Agent ${i}`);
  await world.settle();
  await until("SQL sees the last agent", async () => (await sql("select token_id from agent")).rows?.length === 3);
});
afterAll(() => world?.close());

type Row = Record<string, unknown>;

/** As @ponder/client sends it: superjson of the query in the parameter sql. */
const pathOf = (text: string, params: unknown[] = []) =>
  `/sql/db?${new URLSearchParams({ sql: JSON.stringify({ json: { sql: text, params, typings: params.map(() => "none") } }) })}`;

async function sql(
  text: string,
  params: unknown[] = [],
  method = "POST",
): Promise<{ status: number; text: string; rows?: Row[] }> {
  const response = await fetch(url + pathOf(text, params), { method });
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

  it("runs a query that fails once, and tells why", async () => {
    for (let i = 0; i < 5; i++) {
      const { status, text } = await sql(`select ${i} / (token_id - token_id) from agent`);
      expect([status, text]).toEqual([500, "division by zero"]);
    }
    const failed = await graphql('{ agents(where: { tokenId: "9".repeat }) { totalCount } }');
    expect(failed.errors).toHaveLength(1);
    expect(indexer.output()).not.toContain("retry_delay");
  });

  it("ends what is too long for an answer", async () => {
    const wide = `select json_agg(a0.name) as names from ${agents(14)}`;
    const { status, text } = await sql(wide);
    expect([status, text]).toEqual([500, "The answer is larger than 8 MB."]);
    expect((await sql("select count(*) as agents from agent")).status).toBe(200);
  });

  it("has changed nothing in all that", async () => {
    expect((await sql("select count(*) as agents from agent")).rows).toEqual([{ agents: "3" }]);
    expect(await world.rows("select count(*)::int as agents from onchain.agent")).toEqual([{ agents: 3 }]);
  });
});

/** So many times the agents there are, each with each. */
const agents = (times: number) => Array.from({ length: times }, (_, i) => `agent a${i}`).join(" cross join ");
/** Counts for minutes. */
const ENDLESS = `select count(*) from ${agents(24)}`;

describe("askers", () => {
  /** Asks from one address of this machine, and leaves when told to. */
  function ask(path: string, { from = "127.0.0.1", body = "" } = {}): { status: Promise<number>; leave(): void } {
    const asked = request(url + path, {
      method: "POST",
      localAddress: from,
      agent: false,
      headers: { "content-type": "application/json", "content-length": Buffer.byteLength(body) },
    });
    const status = new Promise<number>((resolve) => {
      asked.on("response", (response) => {
        response.resume();
        resolve(response.statusCode!);
      });
      asked.on("error", () => resolve(0));
    });
    asked.end(body);
    return { status, leave: () => void asked.destroy() };
  }
  const running = async () => {
    const [row] = await world.rows(
      `select count(*)::int as n from pg_stat_activity
       where application_name like 'index\\_%\\_readonly' and state = 'active' and query like '%a23%'`,
    );
    return (row as { n: number }).n;
  };

  it("have two queries at once each, of four in all; the fifth query of all is told to come back", async () => {
    const askers = ["127.0.0.1", "127.0.0.1", "127.0.0.2", "127.0.0.2"].map((from) => ask(pathOf(ENDLESS), { from }));
    await until("all four run", async () => (await running()) === 4);
    expect(await ask(pathOf("select 1"), { from: "127.0.0.1" }).status).toBe(429);
    expect(await ask(pathOf("select 1"), { from: "127.0.0.3" }).status).toBe(503);
    for (const { leave } of askers) leave();
    await until("nothing runs", async () => (await running()) === 0, { timeoutMs: 10_000 });
  });

  it("who leave take their queries along: the places are free again, and nothing runs on", async () => {
    for (let round = 0; round < 2; round++) {
      const askers = ["127.0.0.1", "127.0.0.2"].flatMap((from) => [
        ask(pathOf(ENDLESS), { from }),
        ask(pathOf(ENDLESS), { from }),
      ]);
      await until("all four run", async () => (await running()) === 4);
      for (const { leave } of askers) leave();
      await until("nothing runs", async () => (await running()) === 0, { timeoutMs: 10_000 });
    }
    await until("a place is free", async () => (await sql("select 1 as one from agent")).status === 200, {
      timeoutMs: 10_000,
    });
    expect((await graphql("{ agents { totalCount } }")).data).toEqual({ agents: { totalCount: 3 } });
  });
});
