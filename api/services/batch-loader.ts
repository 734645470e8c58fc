/** Work that must take turns: what is asked for one key gathers while that key is busy, and goes in one go when it is free. */
import { fail } from "../../core/errors.ts";

export type Lanes<A, R> = {
  /** Has `ask` done in the next turn of `key`. @throws Failure overloaded when too many wait already; whatever the turn throws */
  do(key: string, ask: A): Promise<R>;
};

type Waiting<A, R> = { ask: A; resolve(result: R): void; reject(error: unknown): void };

/**
 * @param rule.most asks in one turn
 * @param rule.atOnce keys at work at the same time: each takes a connection, and others need some too
 * @param rule.waiting asks that may wait in all
 * @param turn does what was asked, and answers each ask in its place
 */
export function lanes<A, R>(
  rule: { most: number; atOnce: number; waiting: number },
  turn: (key: string, asks: A[]) => Promise<R[]>,
): Lanes<A, R> {
  /** In the order in which the keys' turns come. */
  const queues = new Map<string, Waiting<A, R>[]>();
  const busy = new Set<string>();
  let waiting = 0;

  function advance(): void {
    for (const [key, queue] of queues) {
      if (busy.size >= rule.atOnce) return;
      if (busy.has(key)) continue;
      const taken = queue.splice(0, rule.most);
      queues.delete(key);
      // What is left goes behind the other keys.
      if (queue.length > 0) queues.set(key, queue);
      waiting -= taken.length;
      busy.add(key);
      void run(key, taken);
    }
  }

  async function run(key: string, taken: Waiting<A, R>[]): Promise<void> {
    try {
      const results = await turn(
        key,
        taken.map(({ ask }) => ask),
      );
      for (const [i, { resolve }] of taken.entries()) resolve(results[i]!);
    } catch (error) {
      for (const { reject } of taken) reject(error);
    } finally {
      busy.delete(key);
      advance();
    }
  }

  return {
    do: (key, ask) =>
      new Promise((resolve, reject) => {
        if (waiting >= rule.waiting)
          fail("overloaded", "Too many messages are waiting to be written. Try again shortly.", { retryAfter: 1 });
        const queue = queues.get(key) ?? [];
        queue.push({ ask, resolve, reject });
        queues.set(key, queue);
        waiting++;
        advance();
      }),
  };
}
