/** The database of a benchmark with a large synthetic directory: in a folder of its own, or in one that is kept and found again. */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type pg from "pg";
import { migrate } from "../../db/schema/migrate.ts";
import { openPool } from "../../db/sql/connect.ts";
import { type Postgres, removePostgres, startPostgres } from "../../devnet/postgres.ts";
import { scratchDirectory } from "../../harness/scratch.ts";

/** A server of the machine's size, as one would run it for a million rows. */
const SETTINGS = { shared_buffers: "4GB", work_mem: "64MB", random_page_cost: "1.1", max_wal_size: "4GB" };

export type Kept<Filled> = {
  postgres: Postgres;
  pool: pg.Pool;
  /** The folder. */
  place: string;
  /** What `fill` resolved with, in this run or an earlier one. */
  filled: Filled;
};

/**
 * Starts the database, fills it where that was not done yet, works with it and stops it.
 * @param options.kept the folder; without it, one that is removed afterwards
 * @param options.note file in the folder that says the database is filled, and with what
 * @param fill its result is written into the note as JSON
 */
export async function withKept<Filled>(
  { kept, note, name }: { kept: string | undefined; note: string; name: string },
  fill: (at: Pick<Kept<Filled>, "postgres" | "pool">) => Promise<Filled>,
  work: (at: Kept<Filled>) => Promise<void>,
): Promise<void> {
  const place = kept ?? scratchDirectory(`bench-${name}`, { onDisk: true });
  const postgres = await startPostgres({ dataDir: join(place, "pg"), fast: true, settings: SETTINGS });
  const pool = openPool({ connectionString: postgres.url, max: 4 });
  try {
    const file = join(place, note);
    const known = existsSync(file);
    if (known) await migrate(postgres.url);
    const filled: Filled = known ? JSON.parse(readFileSync(file, "utf8")) : await fill({ postgres, pool });
    if (!known && kept !== undefined) writeFileSync(file, JSON.stringify(filled));
    await work({ postgres, pool, place, filled });
  } finally {
    await pool.end();
    await postgres.stop();
    if (kept === undefined) {
      // The cluster may have been moved to where its own account can reach it.
      await removePostgres(join(place, "pg"));
      rmSync(place, { recursive: true, force: true });
    }
  }
}

/** The value behind an option; undefined without the option. @throws where the value is missing */
export function valueAfter(args: readonly string[], option: string): string | undefined {
  const at = args.indexOf(option);
  if (at < 0) return undefined;
  const value = args[at + 1];
  if (value === undefined) throw new Error(`${option} takes a value`);
  return value;
}

/** The whole number of at least 1 behind an option; undefined without the option. @throws for anything else */
export function numberAfter(args: readonly string[], option: string): number | undefined {
  const text = valueAfter(args, option);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) throw new Error(`${option} takes a number`);
  return value;
}
