/** Drizzle's query builder over the connections of the service, for ordinary reads and writes of schema `offchain`. */
import { drizzle, type NodePgDatabase } from "drizzle-orm/node-postgres";
import type pg from "pg";
import { madeOnce } from "../../runtime/once.ts";
import type { Queryable } from "./connect.ts";

export type Orm = NodePgDatabase;

/** The query builder over a pool, or over the client of a transaction: what it runs is then part of the transaction. */
export const orm = madeOnce((db: Queryable): Orm => drizzle(db as pg.Pool | pg.PoolClient, { casing: "snake_case" }));

/**
 * A query that is built once per connection and then only run: for hot reads and writes. Values are
 * `sql.placeholder("name")` in the query and arguments of `execute({ name })`.
 * @param build ends with `.prepare("name")`; the name is the prepared statement's on the connection
 */
export const preparedQuery = <Q>(build: (db: Orm) => Q): ((db: Queryable) => Q) => madeOnce((db) => build(orm(db)));
