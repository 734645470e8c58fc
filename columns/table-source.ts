/** What a live table is loaded from and kept equal to: the interface between the column engine and its bindings. */
import type pg from "pg";
import type { CopyRow } from "./copy-rows.ts";
import type { SomeValues, TableDefinition, Values } from "./values.ts";

/** Makes a client that is not connected yet. */
export type OpenClient = (config: pg.ClientConfig) => pg.Client;

/** Changes to apply: puts first, then sets, then deletes. An unchanged row may be among them. */
export type Changes = {
  puts: [id: number, values: Values][];
  sets: [id: number, values: SomeValues][];
  deletes: number[];
};

/** The changes since a state; "reload" when only a full load can find them; "wait" when there is nothing to compare with now. */
type SyncOutcome<State> = { state: State; changes: Changes } | "reload" | "wait";

/** The number of rows, and the sum of some number columns by their names. */
export type Totals = { count: number } & Record<string, number>;

/**
 * The rows of a table in the database. `State` is the position up to which they were read; it crosses processes by
 * structured clone. Every method runs in a read-only REPEATABLE READ transaction of its own.
 */
export type TableSource<State> = {
  definition: TableDefinition;
  /** The client that all methods run on: it reads values as their statements expect. */
  openClient: OpenClient;
  /** SELECT of all rows; the first field is the id, as `int8`. */
  select: string;
  /** The values of one row of `select`; they may be views of its buffer. */
  read(row: CopyRow): Values;
  count(tx: pg.ClientBase): Promise<number>;
  /** Bytes of memory per row, indexes and search included, measured on a million rows; checked before a load. */
  bytesPerRow: number;
  /** The state at which a load begins; null while there is nothing to load. */
  begin(tx: pg.ClientBase): Promise<State | null>;
  /** What changed since a state. */
  sync(tx: pg.ClientBase, state: State): Promise<SyncOutcome<State>>;
  /** The totals in the database. Comparing them finds changes that bypass the feed (a table edited by hand, or restored). */
  totals(tx: pg.ClientBase): Promise<Totals>;
  /** NOTIFY channel that announces changes; without notifications they are found by polling. */
  channel: string;
};
