/** Where a page of a GraphQL list begins: rows at or behind a cursor, also where a column of its order has no value. */
import { and, type Column, eq, gt, isNotNull, isNull, lt, or, type SQL } from "drizzle-orm";

type Order = [column: string, direction: "asc" | "desc"][];

/** The values that a cursor names, by column. */
export type CursorValues = Record<string, unknown>;

/** Postgres orders a missing value behind all others, or before all of them in a descending order. */
const greater = (column: Column, value: unknown): SQL | undefined => {
  if (value === null) return undefined;
  return column.notNull ? gt(column, value) : or(gt(column, value), isNull(column));
};
const less = (column: Column, value: unknown): SQL => (value === null ? isNotNull(column) : lt(column, value));
const same = (column: Column, value: unknown): SQL => (value === null ? isNull(column) : eq(column, value));

/**
 * The condition on rows at or behind the place that a cursor names, or at or before it. Replaces Ponder's, which compares a
 * missing value with null and finds nothing.
 * @param order its last column is unique
 * @throws Error for a cursor of another list, or of another order
 */
export function cursorCondition(
  columns: Record<string, Column>,
  order: Order,
  direction: "after" | "before",
  cursor: CursorValues,
): SQL | undefined {
  const from = (index: number): SQL | undefined => {
    const [name, sorted] = order[index]!;
    const column = columns[name];
    if (column === undefined) throw new Error(`Unknown column "${name}" used in orderBy argument`);
    const value = cursor[name];
    if (value === undefined) throw new Error(NO_CURSOR);
    const isUp = (direction === "after") === (sorted === "asc");
    const beyond = isUp ? greater(column, value) : less(column, value);
    const rest = index === order.length - 1 ? same(column, value) : and(same(column, value), from(index + 1));
    return or(beyond, rest);
  };
  return from(0);
}

export const NO_CURSOR = "The cursor is none that this list has given in this order.";

/** Reads a cursor. @param read Ponder's own reading @throws Error in a sentence */
export function cursorValues(read: (cursor: string) => unknown, cursor: string): CursorValues {
  let values: unknown;
  try {
    values = read(cursor);
  } catch {
    throw new Error(NO_CURSOR);
  }
  if (typeof values !== "object" || values === null) throw new Error(NO_CURSOR);
  return values as CursorValues;
}
