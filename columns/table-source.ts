/** What a column table is filled from and kept equal to: the interface between a live table and its binding. */
import type pg from "pg";
import type { CopyRow } from "./copy-rows.ts";
import type { TableDefinition, Value, Values } from "./values.ts";

/** Changes to apply, in this order. A row may come again unchanged. */
export type Changes = {
  puts: [id: number, values: Values][];
  sets: [id: number, column: string, value: Value][];
  deletes: number[];
};

/** What happened since the last look, or that only a full load can tell. */
export type Synced<State> = { state: State; changes: Changes } | "reload" | "wait";

/**
 * The rows of a table in the database. `State` says up to where they were seen; it crosses threads by structured
 * clone. All methods run in a read-only REPEATABLE READ transaction that they share with nothing else.
 */
export type TableSource<State> = {
  definition: TableDefinition;
  /** SELECT of all rows; the first field is the id, as `int8`. */
  select: string;
  /** The values of a row of `select`; they may be views of its buffer. */
  read(row: CopyRow): Values;
  /** SELECT of the number of rows, as `count`. */
  count: string;
  /** What a row takes in memory, orders and search included, as measured on a million; decides before a load. */
  bytesPerRow: number;
  /** Where a load begins; null while there is nothing to load from. */
  begin(tx: pg.ClientBase): Promise<State | null>;
  /** What is different now: "reload" when changes cannot tell, "wait" when there is nothing to compare with at the moment. */
  sync(tx: pg.ClientBase, state: State): Promise<Synced<State>>;
  /**
   * SELECT of one row: `count` of the rows, and under the name of some number columns their sum, all as `float8`. What
   * no feed of changes tells (a table edited by hand, or restored) is found by comparing these.
   */
  totals: string;
  /** NOTIFY channel that announces changes; without notifications they are found by polling. */
  channel: string;
};
