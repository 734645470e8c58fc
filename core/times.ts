/** Times of the chain, which are whole Unix seconds, and times between tries. */

/** Milliseconds: `firstMs` doubled with each of `failures`, at most `longestMs`. */
export const backoffMs = (firstMs: number, longestMs: number, failures: number): number =>
  Math.min(longestMs, firstMs * 2 ** failures);

/** Whole Unix seconds of a date; SQL uses the same number. */
export const unixSeconds = (at: Date): number => Math.floor(at.getTime() / 1000);

/** Converts Unix seconds to ISO 8601. */
export const isoSeconds = (seconds: number): string => new Date(seconds * 1000).toISOString();
