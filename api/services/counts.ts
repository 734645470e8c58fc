/** Answers that cost more than a request may, made once for everybody who asks at the same time. */
import type { ApiDeps } from "../deps.ts";

/** As old as lists from memory may be. */
const FRESH_MS = 2_000;

/**
 * Going through a million agents takes a tenth of a second and more, so it is done at most once in two seconds and once
 * for each block: a count is never older than the block the answer tells.
 */
export const countedOnce = <T>(
  { db, index }: Pick<ApiDeps, "db" | "index">,
  count: (db: ApiDeps["db"]) => Promise<T>,
) =>
  answeredOnce(
    () => count(db),
    FRESH_MS,
    () => index.block,
  );

/**
 * @param freshMs an answer is given to everybody who asks within this time
 * @param version when it has grown, an answer is old
 * @returns asks at most once in that time, however many want to know; a failure is nothing to remember
 */
export function answeredOnce<T>(ask: () => Promise<T>, freshMs: number, version = () => 0): () => Promise<T> {
  let last: { result: Promise<T>; version: number; at: number } | undefined;
  return () => {
    const at = performance.now();
    if (last && last.version >= version() && at - last.at < freshMs) return last.result;
    const asked = { result: ask(), version: version(), at };
    last = asked;
    asked.result.catch(() => {
      if (last === asked) last = undefined;
    });
    return asked.result;
  };
}
