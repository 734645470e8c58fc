/**
 * Batches of work by key: requests for a key gather while a batch of that key runs, and form its next batch.
 * Check then write: places are left, then one is taken; no await.
 */
import { fail } from "../../core/errors.ts";

export type KeyedBatcher<A, R> = {
  /** Adds a request to the next batch of `key`. @throws Failure overloaded when too many wait already; the batch's error */
  submit(key: string, request: A): Promise<R>;
};

type WaitingRequest<A, R> = { request: A; resolve(result: R): void; reject(error: unknown): void };

/**
 * @param limits.batchSize max requests of one batch
 * @param limits.concurrency max keys at work at the same time: each takes a connection, and other work needs some too
 * @param limits.waiting max requests that wait, over all keys
 * @param run carries out a batch; its results are in the order of the requests
 */
export function keyedBatcher<A, R>(
  limits: { batchSize: number; concurrency: number; waiting: number },
  run: (key: string, requests: A[]) => Promise<R[]>,
): KeyedBatcher<A, R> {
  /** In the order in which the keys are served. */
  const queues = new Map<string, WaitingRequest<A, R>[]>();
  const busy = new Set<string>();
  let waiting = 0;

  function advance(): void {
    for (const [key, queue] of queues) {
      if (busy.size >= limits.concurrency) return;
      if (busy.has(key)) continue;
      const batch = queue.splice(0, limits.batchSize);
      queues.delete(key);
      // The rest of the key's requests goes behind the other keys.
      if (queue.length > 0) queues.set(key, queue);
      waiting -= batch.length;
      busy.add(key);
      void runBatch(key, batch);
    }
  }

  async function runBatch(key: string, batch: WaitingRequest<A, R>[]): Promise<void> {
    try {
      const results = await run(
        key,
        batch.map(({ request }) => request),
      );
      for (const [i, { resolve }] of batch.entries()) resolve(results[i]!);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      busy.delete(key);
      advance();
    }
  }

  return {
    submit: (key, request) =>
      new Promise((resolve, reject) => {
        if (waiting >= limits.waiting)
          fail("overloaded", "Too many messages are waiting to be written. Try again shortly.", { retryAfter: 1 });
        const queue = queues.get(key) ?? [];
        queue.push({ request, resolve, reject });
        queues.set(key, queue);
        waiting++;
        advance();
      }),
  };
}
