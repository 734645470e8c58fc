/** `npm run bench -- directory [--quick] [--rows N] [--seconds N] [--rate N] [--asked N] [--pages | --load | --sql] [--keep FOLDER]`: compares every kind of page of the directory from memory with indexed and naive SQL, measures SQL without memory, then the API under load. */
import { execFile } from "node:child_process";
import { loadavg } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type pg from "pg";
import { runToEnd } from "../harness/child.ts";
import { seconds, stopwatch } from "../harness/figures.ts";
import { numberAfter, valueAfter } from "../harness/options.ts";
import { directoryPages } from "./directory/pages.ts";
import { measureSqlAlone } from "./directory/sql-alone.ts";
import { underLoad } from "./directory/under-load.ts";
import { withKept } from "./synthetic/kept.ts";

/** Seconds and rate of the load; `sampled`: number of questions that SQL answers as well; `asked`: number of questions for SQL alone. */
type Plan = { rows: number; seconds: number; perSecond: number; sampled: number; asked: number };
const FULL: Plan = { rows: 1_000_000, seconds: 300, perSecond: 200, sampled: 40, asked: 1_000 };
const QUICK: Plan = { rows: 50_000, seconds: 20, perSecond: 200, sampled: 20, asked: 200 };

/** @param args `--quick` for a short look; `--rows`; `--seconds` and `--rate` of the load; `--pages`, `--sql` or `--load` for one part; `--keep` plants the rows in a folder, and finds them there the next time */
export default async function directory(args: string[]): Promise<void> {
  const plan = args.includes("--quick") ? { ...QUICK } : { ...FULL };
  plan.rows = numberAfter(args, "--rows", 5_000) ?? plan.rows;
  plan.seconds = numberAfter(args, "--seconds") ?? plan.seconds;
  plan.perSecond = numberAfter(args, "--rate") ?? plan.perSecond;
  plan.asked = numberAfter(args, "--asked") ?? plan.asked;
  await withKept<number>(
    { kept: valueAfter(args, "--keep"), note: "planted", name: "directory" },
    async ({ postgres }) => {
      const world = join(import.meta.dirname, "directory/world.ts");
      const [ms] = await stopwatch(() => runToEnd(world, postgres.url, plan.rows));
      console.log(`rows planted in ${seconds(ms)}`);
      return plan.rows;
    },
    async (at, rows) => {
      const { postgres, pool } = at;
      console.log(`${rows.toLocaleString("en")} rows\n`);
      await settle(pool);
      const planted = { ...plan, rows };
      const parts = ["--pages", "--sql", "--load"].filter((part) => args.includes(part));
      const wants = (part: string) => parts.length === 0 || parts.includes(part);
      const checked = Math.min(planted.sampled, planted.asked);
      if (wants("--pages")) await directoryPages({ pool, url: postgres.url, ...planted });
      if (wants("--sql")) await measureSqlAlone({ pool, postgres, ...planted, checked });
      if (wants("--load")) await underLoad(at, planted);
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
