/**
 * Answers that cost more than one request may cost: computed once, and shared by all requests within a short time.
 * Check then write: no request is under way, then its promise is kept; no await, and a failure is forgotten only while
 * the promise is still the same.
 */
import type { ApiDeps } from "../deps.ts";

/** Max age of a count in milliseconds, the same as of lists from memory. */
const COUNT_MS = 2_000;

/**
 * Counting a million agents takes a tenth of a second and more, so it is done at most once in two seconds and once for
 * each block: a count is never older than the block that the answer names.
 */
export const sharedCount = <T>(
  { db, index }: Pick<ApiDeps, "db" | "index">,
  count: (db: ApiDeps["db"]) => Promise<T>,
) =>
  sharedFor(
    () => count(db),
    COUNT_MS,
    () => index.block,
  );

/**
 * @param freshMs one answer serves all requests within this time
 * @param version an answer is outdated when this has grown
 * @returns computes at most once in that time; a failure is not remembered
 */
export function sharedFor<T>(compute: () => Promise<T>, freshMs: number, version = () => 0): () => Promise<T> {
  let last: { result: Promise<T>; version: number; at: number } | undefined;
  return () => {
    const at = performance.now();
    if (last && last.version >= version() && at - last.at < freshMs) return last.result;
    const computed = { result: compute(), version: version(), at };
    last = computed;
    computed.result.catch(() => {
      if (last === computed) last = undefined;
    });
    return computed.result;
  };
}
