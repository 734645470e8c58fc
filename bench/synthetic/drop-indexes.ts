/** Many rows get into Postgres sooner without their indexes. */
import type pg from "pg";

/** Drops indexes. @param which of `pg_index i` and its `pg_class c` @returns statements that make them again */
export async function dropIndexes(db: Pick<pg.Client, "query">, which: string): Promise<string[]> {
  const { rows } = await db.query<{ name: string; definition: string }>(
    `select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition
     from pg_index i join pg_class c on c.oid = i.indexrelid where ${which}`,
  );
  for (const { name } of rows) await db.query(`drop index ${name}`);
  return rows.map(({ definition }) => definition);
}
