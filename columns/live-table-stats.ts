/** State of a live table for operators: metrics, `/status`, the log. */

export type LiveTableStats = {
  /**
   * - `off`: switched off by configuration
   * - `loading`: the first load has not finished
   * - `ready`: the table is in memory
   * - `too large`: the table does not fit into its memory budget, so there is none
   */
  phase: "off" | "loading" | "ready" | "too large";
  /** Rows in the table, and bytes of its arrays. */
  rows: number;
  bytes: number;
  /** Number of full loads, and milliseconds that the last one spent reading and sorting. */
  loads: number;
  readMs: number;
  sortMs: number;
  /** Number of syncs since the last load, and of rows that they read. */
  syncs: number;
  rowsRead: number;
  /** Milliseconds since the table was last known to equal the database; null while it is known not to. */
  ageMs: number | null;
  /** Message of the last load's or sync's error; null after a success. */
  error: string | null;
};

/** The stats of a table before its first load. */
export const initialStats = (phase: LiveTableStats["phase"]): LiveTableStats => ({
  phase,
  rows: 0,
  bytes: 0,
  loads: 0,
  readMs: 0,
  sortMs: 0,
  syncs: 0,
  rowsRead: 0,
  ageMs: null,
  error: null,
});
