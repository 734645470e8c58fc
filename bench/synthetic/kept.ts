/** The database of a benchmark with a large synthetic directory: in a folder of its own, or in one that is kept and found again. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { migrate } from "../../db/schema/migrate.ts";
import { type ScratchPostgres, withPostgres } from "../../harness/scratch-postgres.ts";

/** A server of the machine's size, as one would run it for a million rows. */
const SETTINGS = { shared_buffers: "4GB", work_mem: "64MB", random_page_cost: "1.1", max_wal_size: "4GB" };

/**
 * Starts the database, fills it where that was not done yet, and works with it.
 * @param options.kept the folder; without it, one that is removed afterwards
 * @param options.note file in the folder that says the database is filled, and with what
 * @param fill its result is written into the note as JSON, and given to `work` in this run or a later one
 */
export const withKept = <Filled>(
  { kept, note, name }: { kept: string | undefined; note: string; name: string },
  fill: (at: ScratchPostgres) => Promise<Filled>,
  work: (at: ScratchPostgres, filled: Filled) => Promise<void>,
): Promise<void> =>
  withPostgres(`bench-${name}`, { fast: true, settings: SETTINGS, kept }, async (at) => {
    const file = join(at.directory, note);
    const known = existsSync(file);
    if (known) await migrate(at.postgres.url);
    const filled: Filled = known ? JSON.parse(readFileSync(file, "utf8")) : await fill(at);
    if (!known && kept !== undefined) writeFileSync(file, JSON.stringify(filled));
    await work(at, filled);
  });
