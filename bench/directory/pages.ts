/** Every kind of page from memory, and a sample of them by indexed and by naive SQL in the same run. */
import { loadavg } from "node:os";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { isDeepStrictEqual } from "node:util";
import type pg from "pg";
import { MemoryBudget } from "../../columns/memory-budget.ts";
import { listDirectory } from "../../db/directory/list.ts";
import { foldPlanes } from "../../db/directory/planes/fold.ts";
import type { DirectoryQuery } from "../../db/directory/question-sql.ts";
import { directoryRows } from "../../db/directory/rows.ts";
import { type DirectoryList, openDirectoryList } from "../../db/lists/directory.ts";
import { goal } from "../goal.ts";
import { newSearches } from "../list/matrix.ts";
import { line, QUANTILES_HEAD, quantile } from "./figures.ts";
import { type Cell, matrix, placed, worstCells } from "./matrix.ts";
import { askNaively } from "./naive.ts";

const LIMIT = 100;
const FIRST_TIME = 1_500;

/** @param sampled how many questions SQL is asked as well */
export type Pages = { pool: pg.Pool; url: string; rows: number; sampled: number };

export async function measurePages({ pool, url, rows, sampled }: Pages): Promise<void> {
  const memory = openDirectoryList({ url, db: pool, memory: new MemoryBudget(2 ** 30) });
  try {
    await load(memory, rows);
    const cells = matrix(Date.now());
    for (const cell of cells.slice(0, 300)) await memory.list(await placed(memory.list, cell, LIMIT));
    const times = new Times();
    for (const cell of cells) times.note(cell, await ask(memory, pool, cell));
    times.show();
    const first = await askForTheFirstTime(memory);
    console.log(`\n${first.length} searches, each asked for the first time`);
    console.log(line("ids alone", first));
    // As the workers do it beside an API: a database that is kept may be full of the changes of a load.
    await foldPlanes(pool, { now: Date.now(), foldRows: 1 });
    const { naive, indexed, own, wrong } = await askBothWays(memory, pool, cells, sampled);
    console.log(
      `\n${naive.length} questions by SQL as well: the ${worstCells(0).length} that cost SQL most, and ${sampled} at random; milliseconds`,
    );
    console.log(`                                          ${QUANTILES_HEAD}`);
    console.log(line("from memory, ids alone", own));
    console.log(line("by indexed SQL, ids alone", indexed));
    console.log(line("by naive SQL, with totals and average", naive));
    for (const text of wrong.slice(0, 5)) console.log(text);
    const { ids, cpu } = times.all;
    const ratio = quantile(naive, 1) / quantile(ids, 1);
    console.log("");
    console.log(
      goal(
        "a page from memory, p95 ≤ 5 ms",
        `${quantile(ids, 0.95).toFixed(1)} ms (${quantile(cpu, 0.95).toFixed(1)} ms of CPU)`,
        quantile(ids, 0.95) <= 5,
      ),
    );
    console.log(
      goal(
        "a page from memory, p99 ≤ 10 ms",
        `${quantile(ids, 0.99).toFixed(1)} ms (${quantile(cpu, 0.99).toFixed(1)} ms of CPU)`,
        quantile(ids, 0.99) <= 10,
      ),
    );
    console.log(goal("worst of naive SQL / worst from memory ≥ 100", `${ratio.toFixed(0)}`, ratio >= 100));
    console.log(
      goal("indexed SQL, p95 ≤ 150 ms", `${quantile(indexed, 0.95).toFixed(0)} ms`, quantile(indexed, 0.95) <= 150),
    );
    console.log(goal("the same answers three ways", `${wrong.length} differ`, wrong.length === 0));
    console.log(`load of the machine ${loadavg()[0]!.toFixed(1)}\n`);
  } finally {
    await memory.close();
  }
}

async function load(memory: DirectoryList, rows: number): Promise<void> {
  const before = process.memoryUsage.rss();
  const began = performance.now();
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  let held = 0;
  while (!memory.ready) {
    const used = process.threadCpuUsage();
    await new Promise((done) => setTimeout(done, 5));
    const { user, system } = process.threadCpuUsage(used);
    held = Math.max(held, (user + system) / 1000);
  }
  delay.disable();
  const { readMs, sortMs, bytes } = memory.stats()!;
  console.log(
    `${rows.toLocaleString("en")} rows in memory after ${seconds(performance.now() - began)} (read ${seconds(readMs)}, sorted ${seconds(sortMs)}); ${megabytes(bytes)} of arrays, ${megabytes(process.memoryUsage.rss() - before)} more resident`,
  );
  console.log(
    `the event loop while loading: late by ${(delay.max / 1e6).toFixed(0)} ms at most, busy for ${held.toFixed(0)} ms at most in five\n`,
  );
}

type Taken = { ids: number; cpu: number; rows: number };

/** One page: from memory, then with its rows. Milliseconds, and those that this thread worked for the ids. */
async function ask(memory: DirectoryList, pool: pg.Pool, cell: Cell): Promise<Taken> {
  const query = await placed(memory.list, cell, LIMIT);
  const used = process.threadCpuUsage();
  const began = performance.now();
  const { ids } = await memory.list(query);
  const listed = performance.now();
  const { user, system } = process.threadCpuUsage(used);
  await directoryRows(pool, ids);
  return { ids: listed - began, cpu: (user + system) / 1000, rows: performance.now() - began };
}

type Series = { ids: number[]; cpu: number[]; rows: number[] };

/** By sort, filter, kind of search and place of the page. */
class Times {
  readonly #series = new Map<string, Series>();

  get all(): Series {
    return this.#series.get("all")!;
  }

  note({ search, place, query: { sort, descending, filter } }: Cell, { ids, cpu, rows }: Taken): void {
    for (const name of [
      "all",
      `page: ${place}`,
      `search: ${search}`,
      `filter: ${filter}`,
      `sort: ${sort} ${descending ? "down" : "up"}`,
    ]) {
      const series = this.#series.get(name) ?? { ids: [], cpu: [], rows: [] };
      series.ids.push(ids);
      series.cpu.push(cpu);
      series.rows.push(rows);
      this.#series.set(name, series);
    }
  }

  show(): void {
    console.log(`${this.all.ids.length} pages of 100 with their exact totals, milliseconds`);
    console.log(
      "                                         ids alone                         of them CPU                       with all rows",
    );
    console.log(`                                             ${Array(3).fill(QUANTILES_HEAD).join("       ")}`);
    for (const group of ["all", "page", "search", "filter", "sort"])
      for (const [name, { ids, cpu, rows }] of [...this.#series].filter(([name]) => name.startsWith(group)).sort())
        console.log(line(name, ids, cpu, rows));
  }
}

/** Searches whose answer nobody has asked for before: nothing of it is kept. */
async function askForTheFirstTime(memory: DirectoryList): Promise<number[]> {
  const times: number[] = [];
  for (const q of new Set(newSearches(FIRST_TIME))) {
    const began = performance.now();
    await memory.list({
      filter: "all",
      sort: "cred_score",
      descending: true,
      q,
      limit: LIMIT,
      offset: 0,
      now: Date.now(),
    });
    times.push(performance.now() - began);
    // As between requests: without a turn of the event loop memory would not hear of the database.
    await new Promise((done) => setImmediate(done));
  }
  return times;
}

/** The worst questions and some others three ways; the page of indexed SQL and both totals must be those from memory. */
async function askBothWays(memory: DirectoryList, pool: pg.Pool, cells: Cell[], sampled: number) {
  const own: number[] = [];
  const indexed: number[] = [];
  const naive: number[] = [];
  const wrong: string[] = [];
  const timed = async <T>(times: number[], work: () => Promise<T>): Promise<T> => {
    const began = performance.now();
    const result = await work();
    times.push(performance.now() - began);
    return result;
  };
  for (const cell of [...worstCells(cells[0]!.query.now), ...cells.slice(0, sampled)]) {
    const query: DirectoryQuery = await placed(memory.list, cell, LIMIT);
    const page = await timed(own, () => memory.list(query));
    const bySql = await timed(indexed, () => listDirectory(pool, query));
    const total = await timed(naive, () => askNaively(pool, query));
    if (!isDeepStrictEqual(page, bySql) || total !== page.total)
      wrong.push(
        `${JSON.stringify(query)}: ${page.total} from memory, ${bySql.total} by indexed SQL, ${total} by naive SQL`,
      );
  }
  return { own, indexed, naive, wrong };
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
const megabytes = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MB`;
