/** A read of the database that is kept for a time: the number of scrapes does not change the number of reads. */

/**
 * Reads again when the last answer is older than `maxMs`; null when the database did not answer.
 * @param now milliseconds, monotonic
 */
export function cachedRead<T>(read: () => Promise<T>, maxMs: number, now: () => number): () => Promise<T | null> {
  let at = Number.NEGATIVE_INFINITY;
  let last: Promise<T | null> = Promise.resolve(null);
  return () => {
    if (now() - at >= maxMs) {
      at = now();
      last = read().catch(() => null);
    }
    return last;
  };
}
