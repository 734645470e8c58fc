/** `npm run bench -- directory [--short] [--rows N] [--seconds N] [--rate N] [--asked N] [--pages | --load | --sql] [--keep FOLDER]`: compares every kind of page of the directory from memory with indexed and naive SQL, measures SQL without memory, then the API under load. */
import { execFile } from "node:child_process";
import { loadavg } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type pg from "pg";
import { runToEnd } from "../harness/child.ts";
import { seconds, stopwatch } from "../harness/figures.ts";
import { commandLine, WITH_SHORT } from "../harness/options.ts";
import { directoryPages } from "./directory/pages.ts";
import { OWN_SHARE } from "./directory/questions.ts";
import { measureSqlAlone } from "./directory/sql-alone.ts";
import { underLoad } from "./directory/under-load.ts";
import { withKept } from "./synthetic/kept.ts";

/** Seconds and rate of the load; `asked`: number of questions for SQL alone. */
const SIZES = {
  rows: { absent: 1_000_000, short: 50_000, least: 5_000 },
  seconds: { absent: 300, short: 20, least: 1 },
  rate: { absent: 200, least: 1 },
  asked: { absent: 1_000, short: 200, least: 1 },
};
const SWITCH = { type: "boolean" } as const;

/** @param args `--short` for a short look; `--rows`; `--seconds` and `--rate` of the load; `--pages`, `--sql` or `--load` for one part; `--keep` plants the rows in a folder, and finds them there the next time */
export default async function directory(args: string[]): Promise<void> {
  const { numbers, others } = commandLine(
    SIZES,
    { pages: SWITCH, sql: SWITCH, load: SWITCH, keep: { type: "string" }, ...WITH_SHORT },
    args,
  );
  /** Number of questions that SQL answers as well. */
  const sampled = others.short ? 20 : 40;
  await withKept<number>(
    { kept: others.keep, note: "planted", name: "directory" },
    async ({ postgres }) => {
      const world = join(import.meta.dirname, "synthetic/world.ts");
      const [ms] = await stopwatch(() =>
        runToEnd(world, postgres.url, Math.ceil(numbers.rows / OWN_SHARE), numbers.rows),
      );
      console.log(`rows planted in ${seconds(ms)}`);
      return numbers.rows;
    },
    async (at, rows) => {
      const { postgres, pool } = at;
      console.log(`${rows.toLocaleString("en")} rows\n`);
      await settle(pool);
      const { rate, asked } = numbers;
      const all = !(others.pages || others.sql || others.load);
      if (all || others.pages) await directoryPages({ pool, url: postgres.url, rows, sampled });
      if (all || others.sql) await measureSqlAlone({ pool, postgres, rows, asked, checked: Math.min(sampled, asked) });
      if (all || others.load) await underLoad(at, { rows, seconds: numbers.seconds, perSecond: rate });
      console.log(`load of the machine ${loadavg()[0]!.toFixed(1)}`);
    },
  );
}

/** Leaves a server that has run for a while: nothing waits to be written, and rows are in its buffers. */
async function settle(pool: pg.Pool): Promise<void> {
  await pool.query("checkpoint");
  await promisify(execFile)("sync");
  // A sequential scan of a large table keeps nothing in the buffers.
  await pool.query(`begin; set local enable_seqscan = off; set local enable_bitmapscan = off;
    select count(description) from offchain.directory where id >= 0;
    select count(name) from onchain.agent where token_id >= 0; commit`);
}
