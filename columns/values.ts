/** What a row of a column table contains, and how its columns are declared. */

/**
 * How one column is stored.
 * - `number`: a double; integers beyond 2^53 are stored exactly with it. Sortable unless `sorted` is false: then it
 *   takes no index, and each new bound reads the whole column.
 * - `text`: UTF-8 bytes in byte order, which is Postgres' `collate "C"`. Sortable. `repeats`: rows have few different ones.
 * - `bytes`: as text, of one fixed width in bytes. Sortable.
 * - `flag`: true or false. A filter only.
 * - `search`: the text that is searched in place of the text column `of`; null where both are the same bytes.
 */
type ColumnSpec =
  | { kind: "number"; sorted?: false }
  | { kind: "text"; repeats?: true }
  | { kind: "bytes"; width: number }
  | { kind: "flag" }
  | { kind: "search"; of: string };

/** Column names and their kinds, in the order in which rows give their values. `id` is implied and not listed. */
export type TableDefinition = { readonly [column: string]: ColumnSpec };

/** A value of the type that its column's kind requires. Bytes are copied, so a view of a reused buffer is allowed. */
export type Value = number | bigint | boolean | Uint8Array | null;

/** The values of a row in the order of its table's definition. */
export type Values = readonly Value[];

/** Some values of a row, by the names of their columns. */
export type SomeValues = { readonly [column: string]: Value };

/** The implied key column. Ids are integers below 2^53; equal sort keys are ordered by id, ascending. */
export const ID = "id";
