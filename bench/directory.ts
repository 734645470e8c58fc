/** `npm run bench -- directory [--quick] [--rows N] [--seconds N] [--rate N] [--pages | --load] [--keep FOLDER]`: every kind of page of the directory from memory beside indexed and naive SQL, then the API under load. */
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { openPool } from "../db/connect.ts";
import { migrate } from "../db/migrate.ts";
import { removePostgres, startPostgres } from "../devnet/postgres.ts";
import { measurePages } from "./directory/pages.ts";
import { underLoad } from "./directory/under-load.ts";

/** `seconds` of load with so many requests `perSecond`; `sampled` questions are put to SQL as well. */
type Plan = { rows: number; seconds: number; perSecond: number; sampled: number };
const FULL: Plan = { rows: 1_000_000, seconds: 300, perSecond: 200, sampled: 40 };
const QUICK: Plan = { rows: 50_000, seconds: 20, perSecond: 200, sampled: 20 };

/** A server of the machine's size, as one would run it for a million rows. */
const SETTINGS = { shared_buffers: "4GB", work_mem: "64MB", random_page_cost: "1.1", max_wal_size: "4GB" };

/** @param args `--quick` for a short look; `--rows`; `--seconds` and `--rate` of the load; `--pages` or `--load` for one half; `--keep` plants the rows in a folder, and finds them there the next time */
export default async function directory(args: string[]): Promise<void> {
  const plan = args.includes("--quick") ? { ...QUICK } : { ...FULL };
  plan.rows = numberAfter(args, "--rows") ?? plan.rows;
  plan.seconds = numberAfter(args, "--seconds") ?? plan.seconds;
  plan.perSecond = numberAfter(args, "--rate") ?? plan.perSecond;
  if (plan.rows < 5_000) throw new Error("--rows takes a number of rows from 5000 on");
  const kept = valueAfter(args, "--keep");
  const place = kept ?? mkdtempSync(join(tmpdir(), "bench-directory-"));
  const planted = join(place, "planted");
  const postgres = await startPostgres({ dataDir: join(place, "pg"), fast: true, settings: SETTINGS });
  const pool = openPool({ connectionString: postgres.url, max: 4 });
  pool.on("error", () => {});
  try {
    console.log(
      `${cpus()[0]?.model ?? "unknown CPU"}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}, load ${loadavg()[0]!.toFixed(1)}`,
    );
    if (existsSync(planted)) {
      plan.rows = Number(readFileSync(planted, "utf8"));
      await migrate(postgres.url);
    } else {
      const began = performance.now();
      const world = join(import.meta.dirname, "directory/world.ts");
      await promisify(execFile)(process.execPath, [world, postgres.url, String(plan.rows)]);
      console.log(`rows planted in ${((performance.now() - began) / 1000).toFixed(0)} s`);
      if (kept !== undefined) writeFileSync(planted, String(plan.rows));
    }
    console.log(`${plan.rows.toLocaleString("en")} rows\n`);
    if (!args.includes("--load")) await measurePages({ pool, url: postgres.url, ...plan });
    if (!args.includes("--pages")) await underLoad({ pool, postgres, dataDir: join(place, "data"), ...plan });
    console.log(`load of the machine ${loadavg()[0]!.toFixed(1)}`);
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

function valueAfter(args: string[], option: string): string | undefined {
  const at = args.indexOf(option);
  if (at < 0) return undefined;
  const value = args[at + 1];
  if (value === undefined) throw new Error(`${option} takes a value`);
  return value;
}

function numberAfter(args: string[], option: string): number | undefined {
  const text = valueAfter(args, option);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) throw new Error(`${option} takes a number`);
  return value;
}
