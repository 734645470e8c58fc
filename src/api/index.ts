/**
 * Ponder's own server, for people who analyse: GraphQL and SQL over the running index, read-only and bounded. The
 * service's API is another process (api/). Nothing here is part of the index's build.
 */

import { db } from "ponder:api";
import schema from "ponder:schema";
import { Hono } from "hono";
import { client, graphql } from "ponder";
import { atMost, bodyUpTo } from "./limits.ts";
import { guardedParameter, Refusal } from "./sql-guard.ts";

/** Queries that run at once; they share the machine with the indexer, which comes first. */
const QUERIES_AT_ONCE = 4;
const MAX_BODY_BYTES = 16 * 1024;

const secret = crypto.randomUUID();
const turns = atMost(QUERIES_AT_ONCE);

/** Ponder's handler of @ponder/client; it sees guarded queries only. */
const sql = new Hono().use("/sql/*", client({ db, schema }));

const app = new Hono();

app.use("/graphql", bodyUpTo(MAX_BODY_BYTES), turns);
// Lists have at most 1,000 items, which is Ponder's own limit.
app.use(
  "/graphql",
  graphql({ db, schema }, { maxOperationTokens: 600, maxOperationDepth: 16, maxOperationAliases: 10 }),
);

// @ponder/client asks by POST, with the query in the URL.
app.on(["GET", "POST"], "/sql/db", turns, (c) => {
  try {
    const url = new URL(c.req.url);
    url.searchParams.set("sql", guardedParameter(c.req.query("sql"), secret));
    return sql.fetch(new Request(url));
  } catch (error) {
    if (error instanceof Refusal) return c.text(error.message, 400);
    throw error;
  }
});

export default app;
