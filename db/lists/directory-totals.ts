/** Totals of the whole directory, computed once per state of the table, or read by SQL every few seconds. */
import type pg from "pg";
import type { ColumnTable } from "../../columns/table.ts";
import { directoryTotals } from "../directory/list.ts";
import type { DirectoryTotals } from "../directory/question-sql.ts";

/** Max age in milliseconds of totals that SQL reads: it reads all of an index for them. */
const SQL_MAX_AGE_MS = 5_000;

export class CachedTotals {
  readonly #db: pg.Pool;
  /** Totals of the table as a sync left it; the table does not change until the next sync. */
  #ofTable: { asOf: Date; table: ColumnTable; totals: DirectoryTotals } | undefined;
  #bySql: { at: number; totals: Promise<DirectoryTotals> } | undefined;

  constructor(db: pg.Pool) {
    this.#db = db;
  }

  /** @param asOf time of the table's last sync */
  ofTable(table: ColumnTable, asOf: Date): DirectoryTotals {
    if (this.#ofTable?.asOf !== asOf || this.#ofTable.table !== table) {
      const totals = {
        total: table.size,
        scored: table.count([{ column: "credScore", from: 1 }]),
        sum: table.sum("credScore"),
        x402: table.count([{ column: "x402", is: true }]),
      };
      this.#ofTable = { asOf, table, totals };
    }
    return this.#ofTable.totals;
  }

  bySql(): Promise<DirectoryTotals> {
    if (this.#bySql === undefined || Date.now() - this.#bySql.at > SQL_MAX_AGE_MS) {
      const totals = directoryTotals(this.#db);
      totals.catch(() => {
        this.#bySql = undefined;
      });
      this.#bySql = { at: Date.now(), totals };
    }
    return this.#bySql.totals;
  }
}
