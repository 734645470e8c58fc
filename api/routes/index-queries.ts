/** GraphQL and SQL over the index for holders of an API key of scope index:read. The indexer answers; it is reached here only. */
import { array, looseObject, object, z } from "zod";
import type { IndexQueries, IndexReader } from "../../clients/ports.ts";
import { fail } from "../../core/errors.ts";
import { nameOf } from "../caller-types.ts";
import { CACHE, type Call, endpointsOf } from "../endpoint.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import { endOf } from "../http/concurrency-limit.ts";
import { type JsonReply, written } from "../reply.ts";

const endpoint = endpointsOf({ tag: "Index" });

/** Max characters of a query with its parameters; the indexer itself accepts 4,000 characters of SQL. */
const MAX_SQL = 16_384;

const graphqlBodySchema = object({
  query: z.string().min(1).max(MAX_SQL),
  variables: z.record(z.string(), z.unknown()).nullish(),
  operationName: z.string().max(256).nullish(),
}).meta({ id: "GraphqlRequest", examples: [{ query: "{ agents(limit: 3) { items { tokenId name } } }" }] });

const graphqlAnswerSchema = looseObject({
  data: z.record(z.string(), z.unknown()).nullish(),
  errors: array(looseObject({ message: z.string() })).optional(),
}).meta({ id: "GraphqlAnswer" });

const rowsSchema = looseObject({ rows: array(z.record(z.string(), z.unknown())) }).meta({
  id: "SqlAnswer",
  description: "Ponder's answer; values are texts as Postgres writes them",
});

const LIMITS =
  "One key has 2 queries at once and 240 a minute; a query has 30 seconds and 8 MB of rows, and ends with its request.";

export const graphqlQuery = endpoint({
  method: "post",
  path: "/api/v2/graphql",
  operationId: "queryGraphql",
  summary: "GraphQL over the index",
  description: `The answers come from the index that is being built: after a restart of the indexer they lag behind the API. ${LIMITS}`,
  guard: { caller: "indexKey", bucket: "index" },
  body: graphqlBodySchema,
  responses: { 200: { description: "Data and errors, as GraphQL has them", schema: graphqlAnswerSchema } },
  errors: ["not_found", "overloaded", "upstream_unavailable", "payload_too_large", "timeout"],
  cache: CACHE.never,
  handler: (call) => answer(call, (queries, reader) => queries.graphql(call.body, reader)),
});

export const graphqlSchema = endpoint({
  method: "get",
  path: "/api/v2/graphql/schema.graphql",
  operationId: "getGraphqlSchema",
  summary: "The schema of the index in GraphQL's own language, for generators of code",
  responses: { 200: { description: "The schema", type: "text/plain" } },
  errors: ["not_found", "upstream_unavailable"],
  cache: CACHE.release,
  handler: async ({ deps, clientAddress, response }) => ({
    ...{ status: 200, type: "text/plain; charset=utf-8" },
    content: await queriesOf(deps).schema({ address: clientAddress, gone: endOf(response) }),
  }),
});

export const sqlQuery = endpoint({
  path: "/api/v2/sql/db",
  operationId: "querySql",
  summary: "SQL over the index, as @ponder/client sends it",
  description: `One SELECT over the index's own tables, 1,000 rows at most. There are no live queries; follow GET /api/v2/events. ${LIMITS}`,
  guard: { caller: "indexKey", bucket: "index" },
  query: object({
    sql: z.string().min(1).max(MAX_SQL).meta({
      description: "The query in Ponder's wire format: superjson of sql, params and typings",
      example: '{"json":{"sql":"select count(*) from agent","params":[]}}',
    }),
  }),
  responses: { 200: { description: "Rows", schema: rowsSchema } },
  errors: ["not_found", "overloaded", "upstream_unavailable", "timeout"],
  cache: CACHE.never,
  handler: (call) => answer(call, (queries, reader) => queries.sql(call.query.sql, reader)),
});

type KeyCall = Call<unknown, unknown, unknown, { kind: "apiKey"; apiKeyId: string }>;

/** Runs one query in a slot of its key; the query ends when the request does. */
async function answer<View>(
  { deps, caller, clientAddress, response }: KeyCall,
  ask: (queries: IndexQueries, reader: IndexReader) => Promise<string>,
): Promise<JsonReply<View>> {
  const queries = queriesOf(deps);
  deps.indexSlots.acquire(response, [nameOf(caller)]);
  return written(await ask(queries, { address: clientAddress, gone: endOf(response) }));
}

const queriesOf = ({ indexQueries }: Pick<HandlerDeps, "indexQueries">): IndexQueries =>
  indexQueries ??
  fail("not_found", "This service does not offer queries of its index.", {
    hint: "GET /api/v2/agents and GET /api/v2/events/log are open to all.",
  });
