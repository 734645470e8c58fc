/**
 * Ponder's own server, for people who analyse: GraphQL and SQL over the running index, read-only and bounded. The
 * service's API is another process (api/). Nothing here is part of the index's build.
 */

import { db } from "ponder:api";
import schema from "ponder:schema";
import { type Context, Hono } from "hono";
import { client, graphql } from "ponder";
import { bodyUpTo, queries } from "./limits.ts";
import { guardedParameter, Refusal } from "./sql-guard.ts";

/** Queries share the machine with the indexer, which comes first. */
const RULES = { atOnce: 4, perAsker: 2, perMinute: 240, ms: 30_000 };
const MAX_BODY_BYTES = 16 * 1024;

const secret = crypto.randomUUID();
const turns = queries({
  ...RULES,
  asker: ({ env }: Context) => indexReaders.nameOf(env.incoming),
  run: (ended, work) => indexReaders.run(ended, work),
});
/** Names each request: Ponder gives those with the same text one statement, which would end with the first who leaves. */
let asked = 0;

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
    url.searchParams.set("sql", guardedParameter(c.req.query("sql"), secret, ++asked));
    return sql.fetch(new Request(url));
  } catch (error) {
    if (error instanceof Refusal) return c.text(error.message, 400);
    throw error;
  }
});

export default app;
