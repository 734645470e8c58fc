/** Changes to many rows, in statements that each stay below the statement timeout. */
import type { Queryable } from "./transaction.ts";

/** Max rows per statement; keeps a statement and its locks under a second. */
const ROWS_PER_STATEMENT = 2_000;

/**
 * Applies a change to all rows of a table that meet a condition, in parts. A locked row is left for the next run.
 * @param change a delete or update of the table without its where clause; a changed row no longer meets the condition
 * @returns how many rows were changed
 */
export async function inParts(
  db: Queryable,
  { change, table, where, values = [] }: { change: string; table: string; where: string; values?: unknown[] },
): Promise<number> {
  for (let changed = 0; ; ) {
    const { rowCount } = await db.query(
      `${change} where ctid = any(array(select ctid from ${table} where ${where} limit ${ROWS_PER_STATEMENT} for update skip locked))`,
      values,
    );
    changed += rowCount ?? 0;
    if ((rowCount ?? 0) < ROWS_PER_STATEMENT) return changed;
  }
}

/** Deletes all rows of a table that meet a condition, in parts. @returns how many */
export const deleteInParts = (db: Queryable, table: string, where: string, values: unknown[] = []): Promise<number> =>
  inParts(db, { change: `delete from ${table}`, table, where, values });
