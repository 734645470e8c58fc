/** Counts over all agents, made once for everybody who asks at the same time. */
import type { ApiDeps } from "../deps.ts";

/** As old as lists from memory may be. */
const FRESH_MS = 2_000;

/**
 * Going through a million agents takes a tenth of a second and more, so it is done at most once in two seconds and once
 * for each block: a count is never older than the block the answer tells.
 */
export function countedOnce<T>({ db, index }: Pick<ApiDeps, "db" | "index">, count: (db: ApiDeps["db"]) => Promise<T>) {
  let last: { result: Promise<T>; block: number; at: number } | undefined;
  return (): Promise<T> => {
    const at = performance.now();
    if (last && last.block >= index.block && at - last.at < FRESH_MS) return last.result;
    const counting = { result: count(db), block: index.block, at };
    last = counting;
    counting.result.catch(() => {
      // A failure is nothing to remember.
      if (last === counting) last = undefined;
    });
    return counting.result;
  };
}
