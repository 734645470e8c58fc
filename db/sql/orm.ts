/** Drizzle's query builder over the connections of the service, for ordinary reads and writes of schema `offchain`. */
import { drizzle, type NodePgDatabase } from "drizzle-orm/node-postgres";
import type pg from "pg";
import type { Queryable } from "./connect.ts";

export type Orm = NodePgDatabase;

const builders = new WeakMap<Queryable, Orm>();

/** The query builder over a pool, or over the client of a transaction: what it runs is then part of the transaction. */
export function orm(db: Queryable): Orm {
  let made = builders.get(db);
  if (!made) {
    made = drizzle(db as pg.Pool | pg.PoolClient, { casing: "snake_case" });
    builders.set(db, made);
  }
  return made;
}

/**
 * A query that is built once per connection and then only run: for hot reads and writes. Values are
 * `sql.placeholder("name")` in the query and arguments of `execute({ name })`.
 * @param build ends with `.prepare("name")`; the name is the prepared statement's on the connection
 */
export function preparedQuery<Q>(build: (db: Orm) => Q): (db: Queryable) => Q {
  const queries = new WeakMap<Queryable, Q>();
  return (db) => {
    let query = queries.get(db);
    if (!query) {
      query = build(orm(db));
      queries.set(db, query);
    }
    return query;
  };
}
