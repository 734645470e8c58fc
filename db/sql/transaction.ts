/** Transactions, and the type of anything that runs SQL. */
import type pg from "pg";
import type { Queryable } from "./connect.ts";
import { readRouteOf } from "./read-route.ts";

export type { Queryable };

/**
 * Runs `work` in one transaction, committed when it resolves and rolled back when it throws.
 * @param db a pool (a connection is borrowed) or a client of the caller's own that is in no transaction
 */
export async function transaction<T>(
  db: pg.Pool | pg.Client,
  work: (tx: pg.ClientBase) => Promise<T>,
  begin = "begin",
): Promise<T> {
  const borrowed = "totalCount" in db ? await db.connect() : undefined;
  const tx = borrowed ?? (db as pg.Client);
  let broken: Error | undefined;
  // A pool listens to its idle connections only; the error event of a lost one without a listener would end the process.
  // The loss itself shows in the running statement, or in the next one.
  const lose = (error: Error) => {
    broken = error;
  };
  borrowed?.on("error", lose);
  try {
    await tx.query(begin);
    const result = await work(tx);
    await tx.query("commit");
    return result;
  } catch (error) {
    // A connection that cannot roll back is not returned to the pool.
    await tx.query("rollback").catch((reason: Error) => {
      broken = reason;
    });
    throw error;
  } finally {
    borrowed?.off("error", lose);
    borrowed?.release(broken);
  }
}

/** Begins a transaction without the time limits of its pool: for work that takes minutes where there are many rows. */
export const withoutTimeLimits = (begin = "begin") =>
  `${begin}; set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0`;

/**
 * Runs reads that must agree with each other: `work` sees one snapshot of the database and writes nothing. It runs again
 * on the primary when a replica fails.
 */
export const snapshot = <T>(db: pg.Pool | pg.Client, work: (tx: pg.ClientBase) => Promise<T>): Promise<T> =>
  onSnapshot(db, (on, begin) => transaction(on, work, begin));

/** Lets `run` begin a snapshot where the reads of `db` are answered. @param run gets what to borrow from, and how to begin */
export function onSnapshot<T, Db extends pg.Pool | pg.Client>(
  db: Db,
  run: (on: Db | pg.Pool, begin: string) => Promise<T>,
): Promise<T> {
  const begin = "begin isolation level repeatable read read only";
  const route = readRouteOf(db);
  return route ? route((on) => run(on, begin)) : run(db, begin);
}

/** Runs `work` in one transaction and rolls it back. @throws the error that `work` throws */
export async function rehearsal(db: pg.Pool, work: (tx: pg.ClientBase) => Promise<unknown>): Promise<void> {
  const rehearsed = new Error("rehearsed");
  await transaction(db, async (tx) => {
    await work(tx);
    throw rehearsed;
  }).catch((error) => {
    if (error !== rehearsed) throw error;
  });
}

/** undefined_table, invalid_schema_name, insufficient_privilege: the indexer has published no views yet. */
const NO_VIEWS = new Set(["42P01", "3F000", "42501"]);

/** Whether a database error means that there is no index to read yet. */
export const isNoIndex = (error: unknown): boolean => NO_VIEWS.has((error as { code?: string } | null)?.code ?? "");

/** For `catch`: a value where there is no index to read yet. @throws every other error */
export const withoutIndex =
  <T>(value: T) =>
  (error: unknown): T => {
    if (isNoIndex(error)) return value;
    throw error;
  };

/** Pools and connections on which the index was there: its views, once published, stay. */
const indexed = new WeakSet<Queryable>();
/** Whether the indexer has published its views; for callers in which a failing statement would abort a transaction. */
export async function isIndexed(db: Queryable): Promise<boolean> {
  if (indexed.has(db)) return true;
  const { rows } = await db.query("select to_regclass('onchain.agent') is not null as there");
  if (rows[0].there) indexed.add(db);
  return rows[0].there;
}
