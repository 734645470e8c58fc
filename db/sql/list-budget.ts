/**
 * A budget of connections for lists and searches that SQL answers. They are the slow reads of the service: without it they
 * take all connections and all cores of the database, and neither a keyed read nor a refusal is quick any more.
 * Bound: lists and searches by SQL, DATABASE_LISTS connections; refused by the rule of db/sql/turns.ts.
 */
import type pg from "pg";
import { onSnapshot, transaction } from "./transaction.ts";
import { overloaded, Turns } from "./turns.ts";

export type ListBudget = {
  /** Connections that lists may hold at once. */
  connections: number;
  /** Max milliseconds that a list waits for one. */
  maxWaitMs: number;
  /** Monotonic milliseconds. */
  clock?: () => number;
};

const budgets = new WeakMap<object, Turns>();

/** Keeps the lists of a pool to a budget from now on; a pool without one has no limit but its connections. */
export const setListBudget = (pool: pg.Pool, { connections, maxWaitMs, clock }: ListBudget): void =>
  void budgets.set(pool, new Turns({ capacity: () => connections, waitMs: () => maxWaitMs, ...(clock && { clock }) }));

/**
 * As `snapshot`, within the budget of the pool that answers.
 * @throws Failure overloaded, before anything is read
 */
export const listSnapshot = <T>(db: pg.Pool, work: (tx: pg.ClientBase) => Promise<T>): Promise<T> =>
  onSnapshot(db, async (on, begin) => {
    const budget = budgets.get(on);
    if (budget?.isTooLong) throw overloaded();
    const endUse = await budget?.enter();
    try {
      return await transaction(on, work, begin);
    } finally {
      endUse?.();
    }
  });
