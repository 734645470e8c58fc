/** Pieces of SQL that several statements share, so that they mean the same in all of them. */

/** A timestamptz as the API writes it: ISO 8601 in UTC with milliseconds. @param at SQL of the time */
export const isoTime = (at: string): string => `to_char(${at} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
