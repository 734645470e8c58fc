/**
 * A budget of connections for lists and searches that SQL answers. They are the slow reads of the service: without it they
 * take all connections and all cores of the database, and neither a keyed read nor a refusal is quick any more.
 * Check then write: places are left, then one is taken; no await.
 * Bound: lists and searches by SQL, DATABASE_LISTS connections; refused by the rule of api/http/admission.ts, after a
 * wait of one second at most.
 */
import type pg from "pg";
import { onSnapshot, transaction } from "./transaction.ts";
import { overloaded, UseTimes } from "./use-times.ts";

export type ListBudget = {
  /** Connections that lists may hold at once. */
  connections: number;
  /** Max milliseconds that a list waits for one; what would wait for more than half of it is refused at once. */
  maxWaitMs: number;
  /** Monotonic milliseconds. */
  clock?: () => number;
};

const lines = new WeakMap<object, Line>();

/** Keeps the lists of a pool to a budget from now on; a pool without one has no limit but its connections. */
export const setListBudget = (pool: pg.Pool, budget: ListBudget): void => void lines.set(pool, new Line(budget));

/**
 * As `snapshot`, within the budget of the pool that answers.
 * @throws Failure overloaded, before anything is read
 */
export const listSnapshot = <T>(db: pg.Pool, work: (tx: pg.ClientBase) => Promise<T>): Promise<T> =>
  onSnapshot(db, async (on, begin) => {
    const leave = await lines.get(on)?.enter();
    try {
      return await transaction(on, work, begin);
    } finally {
      leave?.();
    }
  });

/** The lists under way, and those that wait for their turn, first come first served. */
class Line {
  readonly #budget: ListBudget;
  readonly #lists: UseTimes<object>;
  /** Each starts one list. */
  readonly #waiting = new Set<() => void>();

  constructor(budget: ListBudget) {
    this.#budget = budget;
    this.#lists = new UseTimes(budget.clock);
  }

  /** Waits for a place. @returns gives the place back. @throws Failure overloaded */
  async enter(): Promise<() => void> {
    const { connections, maxWaitMs } = this.#budget;
    if (this.#lists.size < connections) return this.#begin();
    if (this.#lists.isTooLong(this.#waiting.size, connections, maxWaitMs)) throw overloaded();
    return new Promise((done, refused) => {
      const start = () => {
        clearTimeout(timer);
        this.#waiting.delete(start);
        done(this.#begin());
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(start);
        refused(overloaded());
      }, maxWaitMs);
      this.#waiting.add(start);
    });
  }

  #begin(): () => void {
    const list = {};
    this.#lists.begin(list);
    return () => {
      this.#lists.end(list);
      const [next] = this.#waiting;
      next?.();
    };
  }
}
