/** A simulated year of a table that grows: its days, its size, and whether its figures stay flat. */
import type pg from "pg";
import { atMost, median, printTable } from "../../harness/figures.ts";

/** A figure of the last months is flat when it is at most this many times that of the second quarter. */
const FLAT = 1.5;

/** A way of keeping the table, with the figures of each month by what they are. */
export type Year = { name: string; months: Record<string, number>[] };

/** Both numbers from 0, of a year from January 2026 on. */
export const dayOf = (month: number, day: number): Date => new Date(Date.UTC(2026, month, 1 + day));
export const daysOf = (month: number): number => new Date(Date.UTC(2026, month + 1, 0)).getUTCDate();

/** Prints the figures of every month. */
export function printYear({ name, months }: Year): void {
  const row = printTable(
    `\n${name}`,
    Object.keys(months[0]!).map((what) => [what, 1] as const),
    20,
  );
  for (const [month, figures] of months.entries())
    row(dayOf(month, 0).toISOString().slice(0, 7), ...Object.values(figures));
}

/** Prints of every figure but some how the last quarter of the year is to the second; the first one fills what is kept. */
export function printFlat({ name, months }: Year, but: readonly string[] = []): void {
  const quarter = Math.max(1, Math.floor(months.length / 4));
  for (const what of Object.keys(months[0]!).filter((figure) => !but.includes(figure))) {
    const values = months.map((month) => month[what]!);
    const ratio = median(values.slice(-quarter)) / median(values.slice(quarter, 2 * quarter));
    console.log(atMost(`${what}, ${name}, last to second quarter`, ratio, FLAT, { unit: " ×", digits: 2 }));
  }
}

/** Megabytes of a table of `offchain` with its partitions and all indexes. */
export async function sizeMb(pool: pg.Pool, table: string): Promise<number> {
  const { rows } = await pool.query(
    `select sum(pg_total_relation_size(oid))::float8 / 1e6 as mb from (
       select $1::regclass::oid as oid
       union all select inhrelid from pg_inherits where inhparent = $1::regclass) parts`,
    [`offchain.${table}`],
  );
  return rows[0].mb;
}
