/** How long to wait after failures in a row. */

/** Milliseconds: `firstMs` doubled with each of `failures`, at most `longestMs`. */
export const backoffMs = (firstMs: number, longestMs: number, failures: number): number =>
  Math.min(longestMs, firstMs * 2 ** failures);
