/** Statements of a pool as spans, named by the statement and never by its values. Used only where traces are kept. */
import type pg from "pg";
import { span } from "../runtime/tracing.ts";

type Statement = string | { name?: string | undefined; text?: string | undefined };

/** The name of a prepared statement, else its first word and the table it is about. */
function nameOf(statement: Statement): string {
  const { name, text } = typeof statement === "string" ? { name: undefined, text: statement } : statement;
  if (name) return name;
  const words = (text ?? "").trim().slice(0, 400);
  const verb = /^\w+/.exec(words)?.[0]?.toLowerCase() ?? "statement";
  const table = /\b(?:from|into|update)\s+((?:offchain|onchain)\.\w+)/i.exec(words)?.[1];
  return table ? `${verb} ${table}` : verb;
}

type Query = (...args: unknown[]) => unknown;

/** Wraps what is asked of a pool, and of every connection that it opens from now on: those of transactions too. */
export function traceStatements(pool: pg.Pool): void {
  pool.query = inSpans(pool.query.bind(pool) as Query) as typeof pool.query;
  pool.on("connect", (client) => {
    client.query = inSpans(client.query.bind(client) as Query) as typeof client.query;
  });
}

const inSpans =
  (query: Query): Query =>
  (...args) => {
    const [statement] = args;
    const isText = typeof statement === "string";
    const isConfig = typeof statement === "object" && statement !== null && "text" in statement;
    // With a callback it is the pool that asks, whose span is open already; an object that runs itself goes as it came.
    const runsItself = isConfig && "submit" in statement;
    if (!(isText || isConfig) || runsItself || typeof args.at(-1) === "function") return query(...args);
    return span(nameOf(statement as Statement), { kind: "client", attributes: DATABASE }, async () => query(...args));
  };

const DATABASE = { "db.system.name": "postgresql" };
