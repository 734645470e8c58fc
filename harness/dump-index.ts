/** The whole served index as text, to be compared with another one or with itself at another time. */
import type pg from "pg";

/** Every row of every served table, as text, in an order that does not depend on how it was written. */
export async function dumpIndex(db: { pool: pg.Pool }): Promise<Record<string, string[]>> {
  const { rows: views } = await db.pool.query(
    "select viewname as name from pg_views where schemaname = 'onchain' and left(viewname, 1) <> '_' order by 1",
  );
  const dump: Record<string, string[]> = {};
  for (const { name } of views) {
    const { rows } = await db.pool.query(`select to_jsonb(t)::text as row from onchain."${name}" t`);
    dump[name] = rows.map(({ row }) => row).sort();
  }
  return dump;
}
