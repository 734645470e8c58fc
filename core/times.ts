/** The clock of the chain: whole Unix seconds. */

/** Whole seconds since 1970; SQL computes with the same number. */
export const unixSeconds = (at: Date): number => Math.floor(at.getTime() / 1000);

/** Unix seconds as ISO 8601. */
export const isoSeconds = (seconds: number): string => new Date(seconds * 1000).toISOString();
