/** An answer of an upstream that is fetched again when it is old, and stays in use for a while when that fails. */

export type RefreshedAnswer<T> = {
  /** @param now milliseconds since the epoch @throws what the fetch throws when nothing usable is left */
  current(now: number): Promise<T>;
  /** An answer fetched after `former`: the stored one, or a new one. */
  newerThan(former: T, now: number): Promise<T>;
  /** The last usable answer without waiting; an old or missing one is fetched meanwhile. */
  known(now: number): T | null;
};

/**
 * All requests of one moment share one fetch.
 * Check then write: no request is under way, then its promise is kept; no await, and a failure is forgotten only while
 * the promise is still the same.
 * @param limits.freshMs age at which an answer is fetched again
 * @param limits.usableMs age up to which an answer is used while fetching fails
 */
export function refreshedAnswer<T>(
  ask: () => Promise<T>,
  { freshMs, usableMs }: { freshMs: number; usableMs: number },
): RefreshedAnswer<T> {
  let last: { answer: T; at: number } | undefined;
  let asking: Promise<T> | undefined;
  const fetch = (now: number): Promise<T> => {
    asking ??= ask()
      .then((answer) => {
        last = { answer, at: now };
        return answer;
      })
      .finally(() => {
        asking = undefined;
      });
    return asking;
  };
  const isFresh = (now: number) => last !== undefined && now - last.at < freshMs;
  const usable = (now: number) => (last && now - last.at < usableMs ? last : undefined);
  return {
    async current(now) {
      if (isFresh(now)) return last!.answer;
      const former = usable(now);
      return fetch(now).catch((error) => (former ? former.answer : Promise.reject(error)));
    },
    async newerThan(former, now) {
      return last && last.answer !== former ? last.answer : fetch(now);
    },
    known(now) {
      if (!isFresh(now)) fetch(now).catch(() => {});
      return usable(now)?.answer ?? null;
    },
  };
}
