/** Pieces of SQL that several statements share, so that they mean the same in all of them. */

/** The zero address: the sender of a mint's transfer, and the owner of a burned token. */
export const ZERO_ADDRESS = `0x${"0".repeat(40)}`;

/** A timestamptz as the API writes it: ISO 8601 in UTC with milliseconds. @param at SQL of the time */
export const isoTime = (at: string): string => `to_char(${at} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
