/** GraphQL and SQL over the running index, as Ponder offers them: what can be asked, and what cannot. */
import { request } from "node:http";
import { buildClientSchema, getIntrospectionQuery, printSchema } from "graphql";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { openIndexQueries } from "../../clients/index-queries.ts";
import { readIndexState } from "../../db/operations/index-state.ts";
import { type Hold, type TcpProxy, tcpProxy } from "../../harness/tcp-proxy.ts";
import { until } from "../../harness/until.ts";
import { freePort } from "../../runtime/free-port.ts";
import { type IndexerProcess, indexWorld, someone } from "../support/index-world.ts";
import { perFile } from "../support/started.ts";

const world = perFile(indexWorld);
let url: string;
let indexer: IndexerProcess;
/** Between the indexer and its database. */
let line: TcpProxy;
beforeAll(async () => {
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  const database = new URL(world.database.url);
  line = await tcpProxy({ host: database.hostname, port: Number(database.port || 5432) });
  database.host = `127.0.0.1:${line.port}`;
  // The line tells connections by their first words, which are otherwise a question for TLS.
  database.searchParams.set("sslmode", "disable");
  indexer = world.startIndexer({
    databaseUrl: database.href,
    env: { INDEXER_PORT: String(port), NODE_ENV: "production" },
  });
  for (let i = 0; i < 3; i++) await world.mint(someone(i), `Agent ${i}`);
  await world.identity(someone(1), "registerName", [1n, "one"]);
  await world.settle();
  const { schema } = await readIndexState(world.database.pool);
  // Ends with its connection alone, and takes no processor from the tests beside it.
  await world.rows(`create view "${schema}".endless as select 1 as one from pg_sleep(3600)`);
  await until("SQL sees the last agent", async () => (await sql("select token_id from agent")).rows?.length === 3);
});
afterAll(async () => {
  await line?.close();
});

type Row = Record<string, unknown>;

/** As @ponder/client sends it: superjson of the query in the parameter sql. */
const pathOf = (text: string, params: unknown[] = []) =>
  `/sql/db?${new URLSearchParams({ sql: JSON.stringify({ json: { sql: text, params, typings: params.map(() => "none") } }) })}`;

async function sql(text: string, params: unknown[] = [], method = "POST") {
  const response = await fetch(url + pathOf(text, params), { method });
  const answer = await response.text();
  const rows: Row[] | undefined = response.ok ? JSON.parse(answer).rows : undefined;
  return { status: response.status, text: answer, rows };
}

type GraphqlAnswer = { data?: Record<string, unknown> | null; errors?: { message: string }[] };
async function graphql(query: string): Promise<{ status: number } & GraphqlAnswer> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${url}/graphql`, { method: "POST", headers, body: JSON.stringify({ query }) });
  return { status: response.status, ...((await response.json()) as GraphqlAnswer) };
}

describe("GraphQL", () => {
  it("answers what the index holds", async () => {
    const { data, errors } = await graphql(
      `{ agents(where: { tokenId_gte: 1 }, orderBy: "tokenId", orderDirection: "desc", limit: 2) { items { tokenId name owner } totalCount } }`,
    );
    expect(errors).toBeUndefined();
    const items = [2, 1].map((id) => ({ tokenId: id, name: `Agent ${id}`, owner: someone(id) }));
    expect(data).toEqual({ agents: { items, totalCount: 2 } });
  });

  type List = { items: { tokenId: number }[]; pageInfo: Record<string, unknown> };
  const listed = async (options: string): Promise<List> => {
    const page = "pageInfo { startCursor endCursor hasNextPage hasPreviousPage }";
    const { data, errors } = await graphql(`{ agents(${options}) { items { tokenId } ${page} } }`);
    expect([options, errors]).toEqual([options, undefined]);
    return data!.agents as List;
  };

  // One of three agents has a name, and none a personality: where there is no value there is none to order by.
  const COLUMNS = ["agentName", "personalityAt", "points", "name", "verified"];
  it.each(
    COLUMNS.flatMap((by) => [
      [by, "asc"],
      [by, "desc"],
    ]),
  )("has each agent once in pages by %s %s, forward and back", async (by, direction) => {
    const order = `orderBy: "${by}", orderDirection: "${direction}"`;
    const all = (await listed(`${order}, limit: 100`)).items.map(({ tokenId }) => tokenId);
    expect(all.toSorted()).toEqual([0, 1, 2]);
    const forward: number[] = [];
    let page = await listed(`${order}, limit: 1`);
    for (;;) {
      forward.push(...page.items.map(({ tokenId }) => tokenId));
      if (!page.pageInfo.hasNextPage) break;
      page = await listed(`${order}, limit: 1, after: "${page.pageInfo.endCursor}"`);
    }
    expect(forward).toEqual(all);
    const back = page.items.map(({ tokenId }) => tokenId);
    for (;;) {
      page = await listed(`${order}, limit: 1, before: "${page.pageInfo.startCursor}"`);
      back.unshift(...page.items.map(({ tokenId }) => tokenId));
      if (!page.pageInfo.hasPreviousPage) break;
    }
    expect(back).toEqual(all);
  });

  it.each(["nonsense", "", "eyJhIjoxfQ", Buffer.from('{"json":{"a":1}}').toString("base64")])(
    "says in a sentence that %j is no cursor",
    async (cursor) => {
      const at = JSON.stringify(cursor);
      const { status, errors } = await graphql(`{ agents(orderBy: "points", after: ${at}) { items { tokenId } } }`);
      expect(status).toBeLessThan(500);
      const says = "The cursor is none that this list has given in this order.";
      expect(errors?.map(({ message }) => message)).toEqual([says]);
    },
  );

  it("tells generators of code its schema, by the standard introspection query and as a text", async () => {
    const { data, errors } = await graphql(getIntrospectionQuery());
    expect(errors).toBeUndefined();
    const schema = printSchema(buildClientSchema(data as never));
    expect(schema).toContain("type agent {");
    for (let i = 0; i < 2; i++) expect(await (await fetch(`${url}/graphql/schema`)).text()).toBe(schema);
  });

  /** Fields of fields, `depth` of them. */
  const nested = (depth: number) => `${"a { ".repeat(depth)} a ${"} ".repeat(depth)}`;
  const DEEP = "depth limit of 16";
  const FRAGMENT = `{ agents { items { ...__schema } } } fragment __schema on agent { ${nested(16)} }`;
  const TYPES = "{ __schema { types { fields { type { fields { type { fields { name } } } } } } } }";
  it.each([
    ["data in 17 steps", `{ agents { ${nested(16)} } }`, DEEP],
    ["a fragment that is named like introspection", FRAGMENT, DEEP],
    ["data beside introspection", `{ __schema { queryType { name } } agents { ${nested(16)} } }`, DEEP],
    ["lists in lists in lists of types", TYPES, "Maximum introspection depth"],
  ])("refuses %s", async (_, query, says) => {
    const { data, errors } = await graphql(query);
    const words = errors?.map(({ message }) => message).join(" ");
    expect([data ?? null, words]).toEqual([null, expect.stringContaining(says)]);
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
    const { rows } = await sql(`select a0.token_id from ${agents(7)}`);
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
const ENDLESS = "select one from endless";
/** What the database does for readers. */
const activity = (columns: string, more = "") =>
  world.rows(
    `select ${columns} from pg_stat_activity where datname = current_database()
     and application_name like 'index\\_%\\_readonly' ${more}`,
  );
/** Statements of readers that run in the database. */
const running = async () => (await activity("1", "and state = 'active' and query like '%endless%'")).length;

describe("askers", () => {
  /** Asks from one address of this machine, and leaves when told to. */
  function ask(path: string, { from = "127.0.0.1", body = "" } = {}): { status: Promise<number>; leave(): void } {
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
    const asked = request(url + path, { method: "POST", localAddress: from, agent: false, headers });
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

  /** Two of each address are as many as run at once. */
  const FOUR = ["127.0.0.1", "127.0.0.1", "127.0.0.2", "127.0.0.2"];
  const allGone = async () => {
    await until("nothing runs", async () => (await running()) === 0);
    await until("all four places are free", async () => {
      const statuses = FOUR.map((from) => ask(pathOf("select 1 as one from agent"), { from }).status);
      return (await Promise.all(statuses)).every((status) => status === 200);
    });
  };

  it("have two queries at once each, of four in all; the fifth query of all is told to come back", async () => {
    const askers = FOUR.map((from) => ask(pathOf(ENDLESS), { from }));
    await until("all four run", async () => (await running()) === 4);
    expect(await ask(pathOf("select 1"), { from: "127.0.0.1" }).status).toBe(429);
    expect(await ask(pathOf("select 1"), { from: "127.0.0.3" }).status).toBe(503);
    for (const { leave } of askers) leave();
    await allGone();
  });

  it("who leave take their queries along: the places are free again, and nothing runs on", async () => {
    for (let round = 0; round < 2; round++) {
      const askers = FOUR.map((from) => ask(pathOf(ENDLESS), { from }));
      await until("all four run", async () => (await running()) === 4);
      for (const { leave } of askers) leave();
      await allGone();
    }
    expect((await graphql("{ agents { totalCount } }")).data).toEqual({ agents: { totalCount: 3 } });
  });

  describe("whose line to the database is held", () => {
    let hold: Hold | undefined;
    afterEach(() => hold?.release());
    const holdAt = (words: string) => {
      hold = line.hold("_readonly", words);
      return hold;
    };
    /** The indexer has noticed what happened before. */
    const noticed = async () => {
      for (let answers = 0; answers < 2; answers++) await fetch(`${url}/sql/other`);
    };
    const endConnections = async () => {
      await activity("pg_terminate_backend(pid)");
      await until("no connection is left", async () => (await activity("pid")).length === 0);
    };

    it.each([
      ["is being made", "_readonly"],
      ["is being set up", "SET search_path"],
      ["begins a transaction", "begin"],
      ["is to run the statement", "endless"],
    ])("may leave while their connection %s: Ponder goes on", async (_, words) => {
      await endConnections();
      const held = holdAt(words);
      const askers = FOUR.map((from) => ask(pathOf(ENDLESS), { from }));
      await until("all four are held", () => held.count === 4);
      for (const { leave } of askers) leave();
      await noticed();
      held.release();
      await allGone();
      expect(indexer.output()).not.toMatch(/uncaughtException|unhandledRejection|indexing starts again/);
    });

    it("do not take the connection along that is opened for another in their place", async () => {
      await endConnections();
      const leaving = ["127.0.0.2", "127.0.0.2", "127.0.0.3"].map((from) => ask(pathOf(ENDLESS), { from }));
      await until("three run", async () => (await running()) === 3);
      const held = holdAt("SET search_path");
      const lists = Array.from({ length: 9 }, (_, i) => `a${i}: agents { totalCount }`);
      const answer = graphql(`{ ${lists.join(" ")} }`);
      await until("three are being opened", () => held.count === 3);
      for (const { leave } of leaving) leave();
      await until("others are opened in their place", () => held.count === 6);
      held.release();
      expect((await answer).errors).toBeUndefined();
      expect(indexer.output()).not.toMatch(/uncaughtException|unhandledRejection|indexing starts again/);
    });
  });
});

describe("through the API's client", () => {
  let queries: ReturnType<typeof openIndexQueries>;
  const reader = (gone = new AbortController().signal) => ({ address: "203.0.113.7", gone });
  const wire = (text: string) => JSON.stringify({ json: { sql: text, params: [], typings: [] } });
  beforeAll(async () => {
    queries = openIndexQueries(url);
    // Readers of the tests before may still be leaving.
    const one = () => queries.sql(wire("select 1 as one from agent"), reader()).catch(() => null);
    await until("a place is free", async () => (await one()) !== null);
  });
  afterAll(() => queries?.close());

  it("the same rows arrive, and refusals are failures of the same meaning", async () => {
    const counted = JSON.parse(await queries.sql(wire("select count(*) as agents from agent"), reader()));
    expect(counted).toMatchObject({ rows: [{ agents: "3" }] });
    const answered = JSON.parse(await queries.graphql({ query: "{ agents { totalCount } }" }, reader()));
    expect(answered).toEqual({ data: { agents: { totalCount: 3 } } });
    const refused: [string, object][] = [
      ["delete from agent", { code: "invalid_input" }],
      ["select 1 / (token_id - token_id) from agent", { code: "invalid_input", message: "division by zero" }],
      ["select * from nothing", { code: "invalid_input" }],
    ];
    for (const [query, failure] of refused)
      await expect(queries.sql(wire(query), reader()), query).rejects.toMatchObject(failure);
    const broken = JSON.parse(await queries.graphql({ query: "{ nothing }" }, reader()));
    expect(broken.errors).toHaveLength(1);
  });

  it("a query ends in the database when its reader leaves", async () => {
    const leaving = new AbortController();
    const left = queries.sql(wire(ENDLESS), reader(leaving.signal)).catch((error) => error.code);
    await until("it runs", async () => (await running()) === 1);
    leaving.abort();
    expect(await left).toBe("upstream_unavailable");
    await until("it has ended", async () => (await running()) === 0);
  });
});
