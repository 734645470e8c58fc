/**
 * Ponder's own server, for analysis: GraphQL and SQL over the running index, read-only and limited. The service's API is
 * another process (api/). Nothing here is part of the index's build.
 */
import { db } from "ponder:api";
import schema from "ponder:schema";
import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery, printSchema } from "graphql";
import { type Context, Hono } from "hono";
import { client, graphql } from "ponder";
import { limitBody, limitQueries } from "./limits.ts";
import { guardedParameter, Refusal } from "./sql-guard.ts";

/** Limits of queries: they share the machine with the indexer, which has priority. */
const LIMITS = { concurrent: 4, concurrentPerClient: 2, perMinute: 240, timeoutMs: 30_000 };
const MAX_BODY_BYTES = 16 * 1024;

const secret = crypto.randomUUID();
const limited = limitQueries({
  ...LIMITS,
  clientOf: ({ env }: Context) => indexReaders.networkOf(env.incoming),
  run: (ended, work) => indexReaders.run(ended, work),
});
/**
 * Number of the last request. It makes each request unique: Ponder runs requests with the same text as one statement, and
 * the statement would end when the first of their clients disconnects.
 */
let requests = 0;

/** Ponder's handler of @ponder/client; it receives only guarded queries. */
const sql = new Hono().use("/sql/*", client({ db, schema }));

const app = new Hono();

/**
 * A list has at most 1,000 items: Ponder's own limit. What is below `__schema` does not count as depth
 * (indexer/preload/graphql-changes.ts): it is a function of the schema alone, and GraphQL itself bounds its lists.
 */
const graph = graphql({ db, schema }, { maxOperationTokens: 600, maxOperationDepth: 16, maxOperationAliases: 10 });
app.use("/graphql", limitBody(MAX_BODY_BYTES), limited, graph);

/** The schema in GraphQL's own language, printed once. */
let printed: Promise<string> | undefined;
async function printedSchema(): Promise<string> {
  const headers = { "content-type": "application/json" };
  const request = { method: "POST", headers, body: JSON.stringify({ query: getIntrospectionQuery() }) };
  const answer = await new Hono().use("/graphql", graph).request("/graphql", request);
  const { data } = (await answer.json()) as { data: IntrospectionQuery };
  return printSchema(buildClientSchema(data));
}
app.get("/graphql/schema", async (c) => {
  printed ??= printedSchema().catch((error) => {
    printed = undefined;
    throw error;
  });
  return c.text(await printed);
});

// @ponder/client sends a POST with the query in the URL.
app.on(["GET", "POST"], "/sql/db", limited, (c) => {
  try {
    const url = new URL(c.req.url);
    url.searchParams.set("sql", guardedParameter(c.req.query("sql"), secret, ++requests));
    return sql.fetch(new Request(url));
  } catch (error) {
    if (error instanceof Refusal) return c.text(error.message, 400);
    throw error;
  }
});

export default app;
